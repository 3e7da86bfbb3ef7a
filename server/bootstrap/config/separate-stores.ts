import { type BackendUrl, storeLocation } from '@/db/urls/backend-url';
import { ConfigError } from '../../platform/start-error';
import type { ConfiguredBackend } from './config';

/** What the names of the variables of backends begin with. */
export const BACKEND_PREFIX = 'LOCKYARD_BACKEND_';

/**
 * Two backends in one store would be one backend with two names: one lock, two truths. Returns who
 * has which store.
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
