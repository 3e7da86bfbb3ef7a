import { parseApiKey } from '../../auth/api-keys/api-key-text';
import type { CliCommand } from '../cli-command';

/**
 * What to do if the answer of a command cannot be printed and a new secret is lost by that; null if
 * it has none.
 *
 * @param answer the secret alone, or JSON with it
 */
export function lostSecret(command: CliCommand, answer: string): string | null {
  const secretIn = (field: string): unknown => (command.json ? JSON.parse(answer)[field] : answer);
  switch (command.verb) {
    case 'keys create':
    case 'keys rotate': {
      const key = parseApiKey(String(secretIn('key')));
      return key && `The new API key ${key.id} is lost; revoke it: keys revoke --id ${key.id}`;
    }
    case 'users create':
    case 'users reset-password': {
      if (secretIn('password') === undefined) return null;
      return `The password of "${command.input.name}" is lost; make another: users reset-password`;
    }
    default:
      return null;
  }
}
