import { lastUsedAt, lockDeletion } from '../../core/names/deletion';
import type { RecordKey } from '../../storage/record-store';
import type { TimeSlice } from '../lists/order/time-slice';
import type { ProjectionRow } from '../projection/projection-row';
import { TopN } from '../projection/top-n';

/** Rows looked at between two looks at the clock. */
const ROWS_A_LOOK = 64;

/** A free lock, and when it was held last. */
interface IdleLock {
  backend: string;
  key: RecordKey;
  usedAt: number;
}

/**
 * Deletable locks of one namespace that have not been held for a while, as the board last read
 * them: the `most` that have been idle longest, the oldest first. Done in slices: no more than
 * `most` are ever sorted.
 *
 * @param nowOf the clock of a backend, and its epoch
 */
export async function idleNames(
  rows: Iterable<ProjectionRow>,
  namespace: string,
  { idleMs, most }: { idleMs: number; most: number },
  nowOf: (backend: string) => { now: number; epoch: number } | null,
  slice: TimeSlice,
): Promise<IdleLock[]> {
  const idle = new TopN<IdleLock>(most, (a, b) => a.usedAt - b.usedAt);
  let looked = 0;
  for (const { backend, key, record, isReadable } of rows) {
    looked += 1;
    if (looked % ROWS_A_LOOK === 0 && slice.isOver) await slice.pause();
    if (key.namespace !== namespace || !isReadable || record.holds.length > 0) continue;
    const usedAt = lastUsedAt(record);
    const clock = nowOf(backend);
    if (!clock || usedAt + idleMs > clock.now) continue;
    if (lockDeletion(record, clock.epoch, clock.now).keptBecause === null) {
      idle.add({ backend, key, usedAt });
    }
  }
  return idle.items;
}
