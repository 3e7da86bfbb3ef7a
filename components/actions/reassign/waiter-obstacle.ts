import type { WaiterRow } from '@/server/contract/console/lock-row';
import type { ReassignObstacle } from '@/server/contract/console/operator-answers';
import { type HoldSnapshot, permitsLeftAfter } from '../hold-snapshot';

/** Why a waiter cannot get the lock once this hold has ended; null: no obstacle is known. */
export function waiterObstacle(side: HoldSnapshot, waiter: WaiterRow): ReassignObstacle | null {
  if (waiter.setSize !== undefined) return 'multiLock';
  if (side.isFrozen) return 'frozen';
  if (side.others === 0) return null;
  const left = permitsLeftAfter(side);
  const fits =
    left === null
      ? waiter.mode === 'shared'
      : waiter.permits !== undefined && waiter.permits <= left;
  return fits ? null : 'noRoom';
}
