import type { LockRow } from '@/server/contract/console/lock-row';
import { isReleased } from '@/server/core/lock/lock-record';

/** `request`: asking the holder to release, and blocking its renewals. */
export type LockAct = 'request' | 'extend' | 'release' | 'reassign' | 'freeze';

type ActFacts = Pick<LockRow, 'status' | 'hold' | 'waiters' | 'frozen'>;

/** The obstacle to every act on a lock that can be read, while its store rejects all else. */
export const REJECTED = 'backend rejects requests';

/**
 * Why an act on a row's lock is not possible, in a few words; null: it is. No act is possible while
 * the lock's state is not known.
 *
 * @param refusal why its store rejects requests; null: it does not, as far as is known
 */
export function actObstacle(
  { status, hold, waiters, frozen }: ActFacts,
  act: LockAct,
  refusal: string | null,
): string | null {
  if (status === 'unknown') return 'state unknown';
  if (refusal !== null) return REJECTED;
  if (act === 'freeze') return null;
  if (!hold) return 'not held';
  if (act === 'release') return null;
  if (act === 'reassign') return waiters === 0 ? 'no waiters' : frozen ? 'not while frozen' : null;
  if (isReleased(hold)) return 'already released';
  // A dead process receives no request.
  const isDead = hold.liveness ? hold.liveness.state === 'dead' : status === 'orphaned';
  return act === 'request' && isDead ? 'process is dead' : null;
}
