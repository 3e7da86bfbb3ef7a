import type { Database } from '@/db/database';
import { refusalsUntil } from '../../core/statistics/refusal-counts';
import { MINUTE_MS } from '../../core/time-units';
import type { TimeSlice } from '../lock-list/order/time-slice';
import { KnownRefusals, type RefusalPart, writtenPart } from '../refusals/known-refusals';
import { hasRefusals, refusalsAround, refusalsOf } from '../refusals/refusal-rows';

/** Locks in one statement. */
const LOCKS_AT_ONCE = 200;

/** For how many locks all minutes since the grant are read; for others only the last two are. */
const LOOKED_INTO_MAX = 100;

/** A lock that was held at an instant. */
export interface HeldLock {
  /** The id of its row. */
  id: string;
  /** The backend's id as users know it. */
  backend: string;
  lockId: string;
  /** The instant, on the clock of its backend. */
  at: number;
  /** When its oldest hold was granted. */
  grantedAt: number;
}

/**
 * The attempts on held locks that had been refused by an instant, from the roll-ups: who was
 * refused within the last 60 s and since when is exact, how often within the last minute estimated.
 */
export async function readPastRefusals(
  database: Database,
  locks: readonly HeldLock[],
  slice: TimeSlice,
): Promise<Pick<KnownRefusals, 'of'>> {
  const known = new KnownRefusals();
  const instants = locks.map(({ at }) => at);
  const [first, last] = [Math.min(...instants), Math.max(...instants)];
  if (locks.length === 0 || !(await hasRefusals(database, first - MINUTE_MS, last))) return known;
  let lookUpsLeft = LOOKED_INTO_MAX;
  for (const chunk of chunksOf(locks)) {
    const [{ backend, at }] = chunk;
    const ids = chunk.map(({ lockId }) => lockId);
    const recent = await refusalsAround(database, backend, ids, at);
    for (const lock of chunk) {
      const parts = recent.get(lock.lockId);
      if (!parts) continue;
      lookUpsLeft -= 1;
      const earlier = lookUpsLeft >= 0 ? await earlierParts(database, lock) : [];
      put(known, lock, [...earlier, ...parts]);
      if (slice.isOver) await slice.pause();
    }
    if (slice.isOver) await slice.pause();
  }
  return known;
}

/** Each chunk is of one backend, so its instants are the same. */
function* chunksOf(locks: readonly HeldLock[]): Generator<[HeldLock, ...HeldLock[]]> {
  const backends = new Map<string, HeldLock[]>();
  for (const lock of locks) {
    const same = backends.get(`${lock.backend} ${lock.at}`);
    if (same) same.push(lock);
    else backends.set(`${lock.backend} ${lock.at}`, [lock]);
  }
  for (const ofBackend of backends.values()) {
    for (let i = 0; i < ofBackend.length; i += LOCKS_AT_ONCE) {
      const [head, ...others] = ofBackend.slice(i, i + LOCKS_AT_ONCE);
      if (head) yield [head, ...others];
    }
  }
}

async function earlierParts(database: Database, lock: HeldLock): Promise<RefusalPart[]> {
  const { backend, lockId, at, grantedAt } = lock;
  const until = Math.floor(at / MINUTE_MS) * MINUTE_MS - MINUTE_MS - 1;
  return grantedAt > until ? [] : refusalsOf(database, backend, lockId, grantedAt, until);
}

function put(known: KnownRefusals, { id, at }: HeldLock, parts: RefusalPart[]): void {
  for (const part of parts.sort((a, b) => a.minute - b.minute)) {
    const counts = refusalsUntil(part.counts, at);
    if (counts) known.put(id, writtenPart({ ...part, counts }));
  }
}
