import type { IncidentHold, IncidentRelation } from '../../contract/console/past/incident';
import { isSameParty, type Party } from '../party';

/** The holder and the waiters of an incident. */
export interface IncidentParties {
  hold: IncidentHold | null;
  /** Until when that hold lasted, as far as the incident shows it. */
  heldUntil: number;
  waiters: readonly Wait[];
}

type Wait = Party & { from: number; to: number | null };

/**
 * How an incident is related to one of another lock at the same time; null: not, as far as holders
 * and waiters show.
 */
export function relationOf(one: IncidentParties, other: IncidentParties): IncidentRelation | null {
  if (hasWaited(one, other.waiters)) return 'cause';
  if (hasWaited(other, one.waiters)) return 'effect';
  return one.hold && other.hold && isSameProcess(one.hold, other.hold) ? 'sameProcess' : null;
}

/** Whether the holder was one of these waiters while it held its lock. */
function hasWaited({ hold, heldUntil }: IncidentParties, waiters: readonly Wait[]): boolean {
  if (!hold) return false;
  const { grantedAt, endedAt = heldUntil } = hold;
  const until = Math.min(heldUntil, endedAt);
  return waiters.some(
    (wait) => isSameParty(hold, wait) && wait.from < until && (wait.to ?? until) > grantedAt,
  );
}

/** Compares host and pid if both name a host, else the owners. */
function isSameProcess(a: IncidentHold, b: IncidentHold): boolean {
  if (a.service !== b.service) return false;
  if (a.host === undefined || b.host === undefined) return a.owner === b.owner;
  return a.host === b.host && a.pid === b.pid;
}
