import type { LockRow } from '@/server/contract/console/lock-row';
import { isReleased } from '@/server/core/lock/lock-record';
import type { StoreObstacle } from '../live/reading-store';

/** `request`: asking the holder to release, and blocking its renewals. */
export type LockAct = 'request' | 'extend' | 'release' | 'reassign' | 'freeze';

type ActFacts = Pick<LockRow, 'status' | 'hold' | 'waiters' | 'frozen'>;

/**
 * Why an act on a row's lock is not possible, in a few words; null: it is. No act is possible while
 * the lock's state is not known.
 *
 * @param atStore why nothing can be done at its store; null: it can, as far as is known
 */
export function actObstacle(
  { status, hold, waiters, frozen }: ActFacts,
  act: LockAct,
  atStore: StoreObstacle | null,
): string | null {
  if (status === 'unknown') return 'state unknown';
  if (atStore !== null) return atStore;
  if (act === 'freeze') return null;
  if (!hold) return 'not held';
  if (act === 'release') return null;
  if (act === 'reassign') return waiters === 0 ? 'no waiters' : frozen ? 'not while frozen' : null;
  if (isReleased(hold)) return 'already released';
  // A dead process receives no request.
  const isDead = hold.liveness ? hold.liveness.state === 'dead' : status === 'orphaned';
  return act === 'request' && isDead ? 'process is dead' : null;
}
