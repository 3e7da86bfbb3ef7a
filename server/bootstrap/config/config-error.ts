import { StartError } from '@/server/platform/start-error';

/** A mistake in the environment. The message is one line that names the variable. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';
}
