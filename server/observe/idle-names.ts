import type { RecordKey } from '../backends/record-store';
import { lastUsedAt, lockDeletion } from '../domain/deletion';
import type { BoardRow } from './board-row';

/** Looked at before others get a turn: a few milliseconds of work. */
const ROWS_A_TURN = 2_000;

/** A free lock, and when it was held last. */
interface IdleLock {
  backend: string;
  key: RecordKey;
  usedAt: number;
}

/**
 * Deletable locks of one namespace that have not been held for a while, as the board last read them:
 * the `most` that have been idle longest, the oldest first.
 *
 * @param nowOf the clock of a backend, and its epoch
 */
export async function idleNames(
  rows: Iterable<BoardRow>,
  namespace: string,
  { idleMs, most }: { idleMs: number; most: number },
  nowOf: (backend: string) => { now: number; epoch: number } | null,
): Promise<IdleLock[]> {
  const idle: IdleLock[] = [];
  let looked = 0;
  for (const { backend, key, record, isReadable } of rows) {
    looked += 1;
    if (looked % ROWS_A_TURN === 0) await new Promise(setImmediate);
    if (key.namespace !== namespace || !isReadable || record.holds.length > 0) continue;
    const usedAt = lastUsedAt(record);
    const clock = nowOf(backend);
    if (!clock || usedAt + idleMs > clock.now) continue;
    if (lockDeletion(record, clock.epoch, clock.now).keptBecause === null) {
      idle.push({ backend, key, usedAt });
    }
  }
  return oldest(idle, most);
}

/** Sorts numbers alone where there are many more than are asked for. */
function oldest(idle: IdleLock[], most: number): IdleLock[] {
  const ages = Float64Array.from(idle, ({ usedAt }) => usedAt).sort();
  const last = ages[most - 1] ?? Number.POSITIVE_INFINITY;
  return idle
    .filter(({ usedAt }) => usedAt <= last)
    .sort((a, b) => a.usedAt - b.usedAt)
    .slice(0, most);
}
