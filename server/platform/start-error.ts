/** A start that cannot succeed, said in one line for the person who started it. Names no secret. */
export class StartError extends Error {
  override readonly name: string = 'StartError';

  /** @param message what it quotes may have line breaks, which are shown as `\n` */
  constructor(message: string, options?: ErrorOptions) {
    super(message.replace(/\p{Cc}/gu, escaped), options);
  }
}

/** A database cannot be opened where it should be. Who knows the variable for that names it. */
export class DatabaseUnusable extends StartError {}

/** A mistake in the environment. The message is one line that names the variable. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';
}

const escaped = (control: string) => JSON.stringify(control).slice(1, -1);
