import { type BackendUrl, storeLocation } from '@/db/urls/backend-url';
import { ConfigError } from '../../platform/start-error';
import type { ConfiguredBackend } from './config';

/** The prefix of the variables that name backends. */
export const BACKEND_PREFIX = 'LOCKYARD_BACKEND_';

/**
 * Refuses two backends in one store, which would be one backend under two names, each with its own
 * state of a lock. Returns the variable of each store, by the store's location.
 */
export function separateStores(
  database: BackendUrl,
  backends: ConfiguredBackend[],
): ReadonlyMap<string, string> {
  const seen = new Map([[storeLocation(database), 'the control database']]);
  for (const backend of backends) {
    const name = BACKEND_PREFIX + backend.id.toUpperCase();
    for (const store of storesOf(backend)) {
      const other = seen.get(store);
      if (other) throw new ConfigError(`${name} must not name the same store as ${other}.`);
      seen.set(store, name);
    }
  }
  return seen;
}

function storesOf(backend: ConfiguredBackend): string[] {
  if (!backend.shards) return [storeLocation(backend.url)];
  const { shards, leaving } = backend.shards;
  return [...shards, ...leaving].map(({ name }) => name);
}
