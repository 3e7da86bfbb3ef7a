/** A start that cannot succeed, said in one line for the person who started it. Names no secret. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

/** A mistake in the environment. The message is one line that names the variable. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';
}
