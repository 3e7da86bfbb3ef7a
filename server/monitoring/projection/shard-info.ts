import type { BackendHealth } from '../../contract/console/lock-row';
import type { LockEngine } from '../../engine/lock-engine';
import type { RecordKey } from '../../storage/record-store';

/** What a shard is part of. */
export interface ShardInfo {
  /** The backend's id, as people and programs know it. */
  backend: string;
  /**
   * Whether a record lives here. One that does not is left over from before a reshard, and says
   * nothing.
   */
  owns: (key: RecordKey) => boolean;
  /** How the backend is as a whole. */
  health: () => BackendHealth;
}

/** A backend or a shard, as far as telling them apart goes. */
interface BackendOrShard {
  id: string;
  engine: LockEngine;
  shard?: ShardInfo;
}

/** The backend's id, as people and programs know it. */
export const publicId = ({ id, shard }: BackendOrShard): string => shard?.backend ?? id;

/** How each backend is, as people and programs see them: one with shards is one. */
export function publicHealths(backends: readonly BackendOrShard[]): BackendHealth[] {
  const healths = new Map<string, BackendHealth>();
  for (const backend of backends) {
    const id = publicId(backend);
    if (healths.has(id)) continue;
    healths.set(id, backend.shard ? backend.shard.health() : backend.engine.health());
  }
  return [...healths.values()];
}

/**
 * The backend, or the shard of it, that keeps a record.
 *
 * @param id as people and programs know it
 */
export function locateStore<B extends BackendOrShard>(
  backends: readonly B[],
  id: string | null,
  key: RecordKey,
): B | undefined {
  return backends.find((one) => publicId(one) === id && (!one.shard || one.shard.owns(key)));
}
