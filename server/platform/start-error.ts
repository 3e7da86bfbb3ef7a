/** Why a start cannot succeed, in one line for the person who started it. Names no secret. */
export class StartError extends Error {
  override readonly name: string = 'StartError';

  /** @param message line breaks, as in quoted text, are shown as `\n` */
  constructor(message: string, options?: ErrorOptions) {
    super(message.replace(/\p{Cc}/gu, escaped), options);
  }
}

/** A database cannot be opened at its location. A caller that knows the variable adds its name. */
export class DatabaseUnusable extends StartError {}

/** Another process has the database open, of which only one may. */
export class DatabaseInUse extends StartError {}

/** A mistake in the environment. The message is one line that names the variable. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';
}

const escaped = (control: string) => JSON.stringify(control).slice(1, -1);
