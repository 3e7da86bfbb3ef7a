import { parseBackendUrl, storeLocation } from '@/db/urls/backend-url';
import { ConfigError } from '../../platform/start-error';
import { variablesWithId } from './variables-with-id';

/** A Redis in front of counters on MySQL. */
export interface ConfiguredGate {
  id: string;
  url: string;
}

export const GATE_PREFIX = 'LOCKYARD_GATE_';

/**
 * Reads the gates, by id.
 *
 * @param used the variable of each backend by the location of its store. A gate must not share a
 *   store with a backend, because the gate's data may be wiped at any time
 * @throws ConfigError
 */
export function readGates(
  env: Record<string, string | undefined>,
  used: ReadonlyMap<string, string>,
): ConfiguredGate[] {
  const gates: ConfiguredGate[] = [];
  for (const { name, id } of variablesWithId(env, GATE_PREFIX, 'gate')) {
    const url = parseBackendUrl(env[name] || 'redis', process.cwd());
    if (typeof url === 'string' || url.kind !== 'redis') {
      throw new ConfigError(
        `${name} must be a URL that begins with redis: or rediss:, ` +
          'such as redis://user:password@host:6379/0.',
      );
    }
    const other = used.get(storeLocation(url));
    if (other) throw new ConfigError(`${name} must not name the same store as ${other}.`);
    gates.push({ id, url: url.url });
  }
  return gates;
}
