import { parseBackendUrl, storeLocation } from '@/db/urls/backend-url';
import { ConfigError } from '../../platform/start-error';

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
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith(GATE_PREFIX) || name === GATE_PREFIX) continue;
    const id = name.slice(GATE_PREFIX.length).toLowerCase();
    if (!/^[a-z0-9][a-z0-9_]{0,31}$/.test(id)) {
      throw new ConfigError(`${name}: a gate's id must be 1 to 32 of A-Z 0-9 _.`);
    }
    if (gates.some((other) => other.id === id)) {
      throw new ConfigError(`${name}: the gate "${id}" is named twice.`);
    }
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
