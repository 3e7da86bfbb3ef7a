import type { LockRow } from '@/server/contract/console/lock-row';
import type { NextHolder } from '@/server/contract/console/operator-answers';

/** The effect of an action that a later reading of the lock shows. */
export type ActionEffect =
  | {
      kind: 'granted';
      token: number;
      owner: string;
      /** How long after the end of the hold; null: that is not known. */
      afterMs: number | null;
    }
  /** The holder has renewed since, and so received what it was sent. */
  | { kind: 'delivered'; at: number };

type Act =
  | { kind: 'forced' | 'reassigned'; token: number; next: NextHolder }
  | { kind: 'asked' | 'stopped'; token: number }
  | { kind: 'notSaved' | 'frozen' | 'unfrozen' | 'capacitySet' | 'extended' };

/** The effect of an action that this reading shows; null: none yet. */
export function effectSeenIn(
  act: Act,
  { hold, ended }: Pick<LockRow, 'hold' | 'ended'>,
): ActionEffect | null {
  if (!hold) return null;
  if (act.kind === 'asked' || act.kind === 'stopped') {
    const remark = act.kind === 'asked' ? hold.askedToRelease : hold.renewalsStopped;
    const isDelivered = hold.token === act.token && remark && hold.renewedAt > remark.at;
    return isDelivered ? { kind: 'delivered', at: hold.renewedAt } : null;
  }
  if (act.kind !== 'forced' && act.kind !== 'reassigned') return null;
  const endedAt = ended?.token === act.token ? ended.at : null;
  if (!isItsGrant(act.next, act.token, hold, endedAt)) return null;
  const afterMs = endedAt === null ? null : Math.max(0, hold.grantedAt - endedAt);
  return { kind: 'granted', token: hold.token, owner: hold.owner, afterMs };
}

/** Whether this hold is the grant that followed the end of the hold with that token. */
function isItsGrant(
  next: NextHolder,
  token: number,
  hold: NonNullable<LockRow['hold']>,
  endedAt: number | null,
): boolean {
  if (hold.token <= token) return false;
  if (next.kind === 'granted') return hold.token === next.token;
  const isLater = endedAt !== null && hold.grantedAt >= endedAt;
  return next.kind === 'offered' ? hold.owner === next.owner : isLater;
}
