import type { BackendHealth } from '../../contract/console/lock-row';
import type { LockEngine } from '../../engine/lock-engine';
import type { RecordKey } from '../../storage/record-store';

/** What a shard is part of. */
export interface ShardOf {
  /** The backend's id, as people and programs know it. */
  of: string;
  /**
   * Whether a record lives here. One that does not is left over from before a reshard, and says
   * nothing.
   */
  keeps: (key: RecordKey) => boolean;
  /** How the backend is as a whole. */
  health: () => BackendHealth;
}

/** A backend or a shard, as far as telling them apart goes. */
interface MaybeShard {
  id: string;
  engine: LockEngine;
  shard?: ShardOf;
}

/** The backend's id, as people and programs know it. */
export const publicId = ({ id, shard }: MaybeShard): string => shard?.of ?? id;

/** How each backend is, as people and programs see them: one with shards is one. */
export function publicHealths(backends: readonly MaybeShard[]): BackendHealth[] {
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
export function keeperOf<B extends MaybeShard>(
  backends: readonly B[],
  id: string | null,
  key: RecordKey,
): B | undefined {
  return backends.find((one) => publicId(one) === id && (!one.shard || one.shard.keeps(key)));
}
