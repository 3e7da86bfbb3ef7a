import type { IncidentHold, IncidentRelation } from '../../contract/console/past/incident';

/** Who was involved in an incident. */
export interface IncidentParties {
  hold: IncidentHold | null;
  waiters: readonly Party[];
}

type Party = { service: string; owner: string };

/**
 * How an incident goes together with one of another lock at the same time; null: it does not, as
 * far as holders and waiters tell.
 */
export function relationOf(one: IncidentParties, other: IncidentParties): IncidentRelation | null {
  if (one.hold && isAmong(one.hold, other.waiters)) return 'cause';
  if (other.hold && isAmong(other.hold, one.waiters)) return 'effect';
  return one.hold && other.hold && isSameProcess(one.hold, other.hold) ? 'sameProcess' : null;
}

const isAmong = (party: Party, others: readonly Party[]) =>
  others.some((other) => isSame(party, other));

const isSame = (a: Party, b: Party) => a.service === b.service && a.owner === b.owner;

/** By host and pid where both name them, else by owner. */
function isSameProcess(a: IncidentHold, b: IncidentHold): boolean {
  if (a.service !== b.service) return false;
  if (a.host === undefined || b.host === undefined) return a.owner === b.owner;
  return a.host === b.host && a.pid === b.pid;
}
