import type { LockRow } from '@/server/contract/console/lock-row';
import { isReleased } from '@/server/core/lock/lock-record';

export interface PossibleActs {
  /** To ask the holder to release, and to block its renewals. */
  request: boolean;
  extend: boolean;
  release: boolean;
  freeze: boolean;
}

/** What can be done about a lock: nothing while its state is not known. */
export function possibleActs({ status, hold }: Pick<LockRow, 'status' | 'hold'>): PossibleActs {
  const isKnown = status !== 'unknown';
  const isHeld = isKnown && hold !== null;
  const extend = isHeld && !isReleased(hold);
  // A dead process receives no request.
  const isDead = hold?.liveness ? hold.liveness.state === 'dead' : status === 'orphaned';
  const request = extend && !isDead;
  return { request, extend, release: isHeld, freeze: isKnown };
}
