import { canBeKey, type LockyardClientOptions } from '../client-settings';
import { environmentKey } from '../environment-key';
import { LockyardClient } from '../lockyard-client';
import { CommandFailure, EXIT } from './exit-codes';

/**
 * A client made from the environment and the options. Throws `CommandFailure` if a setting is
 * missing, or the key has characters that no key has.
 */
export function openClient(options: Omit<LockyardClientOptions, 'apiKey'>): LockyardClient {
  const { LOCKYARD_URL } = process.env;
  if (!options.url && !LOCKYARD_URL) {
    const text =
      'LOCKYARD_URL is not set, and no --url is given: set it to the address of a server';
    throw notSet(`${text}, such as http://127.0.0.1:3000.`);
  }
  const key = keyOf()?.trim();
  if (!key) {
    const text = 'LOCKYARD_API_KEY is not set; create a key in the console under Settings, or with';
    throw notSet(`${text}: npm run -s lockyard -- keys create`);
  }
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
