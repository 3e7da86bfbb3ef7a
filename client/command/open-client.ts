import { canBeKey, type LockyardClientOptions } from '../client-settings';
import { environmentKey } from '../environment-key';
import { LockyardClient } from '../lockyard-client';
import { CommandFailure, EXIT } from './exit-codes';

/**
 * A client by the environment and the options. Throws `CommandFailure` where one is missing, or the
 * key can be none.
 */
export function openClient(options: Omit<LockyardClientOptions, 'apiKey'>): LockyardClient {
  const { LOCKYARD_URL } = process.env;
  if (!options.url && !LOCKYARD_URL)
    throw notSet('LOCKYARD_URL is not set, and no --url is given.');
  const key = keyOf()?.trim();
  if (!key) throw notSet('LOCKYARD_API_KEY is not set.');
  if (!canBeKey(key)) {
    const text = 'The API key of the environment has characters that no key has.';
    throw new CommandFailure(EXIT.noPermission, text);
  }
  return new LockyardClient(options);
}

function keyOf(): string | undefined {
  try {
    return environmentKey();
  } catch (error) {
    throw notSet((error as Error).message);
  }
}

function notSet(message: string): CommandFailure {
  return new CommandFailure(EXIT.config, message);
}
