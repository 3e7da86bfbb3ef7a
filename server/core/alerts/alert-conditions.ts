import type { AlertKind, AlertRules } from '../../contract/console/alerts/alert-rules';
import type { Bounds } from '../../contract/counter-bounds';

/** The facts about a lock that the rules compare. Instants are its backend's clock. */
export interface LockFacts {
  at: number;
  /** Since when the lock is stuck; null: it is not. The next two likewise. */
  stuckSince: number | null;
  orphanedSince: number | null;
  expiredSince: number | null;
  /** The start of the longest wait; null: there are no waiters, or only expected standbys. */
  oldestWaitAt: number | null;
  /** See `totalBlockingMs`. */
  blockingMs: number;
}

/** A rule that is met, and since when. */
export interface MetRule {
  kind: AlertKind;
  since: number;
}

/** The rules that a lock meets. */
export function lockConditions(facts: LockFacts, rules: AlertRules): MetRule[] {
  const { at, blockingMs } = facts;
  const met: MetRule[] = [];
  const check = (kind: AlertKind, since: number | null, forMs: number | null, margin = 0) => {
    if (since !== null && forMs !== null && at - since >= forMs + margin) met.push({ kind, since });
  };
  check('stuck', facts.stuckSince, rules.stuckForMs);
  check('orphaned', facts.orphanedSince, rules.orphanedForMs);
  check('expired', facts.expiredSince, rules.expiredForMs);
  check('waitsOver', facts.oldestWaitAt, rules.waitsOverMs, 1);
  if (rules.blockingOverMs !== null && blockingMs > rules.blockingOverMs) {
    met.push({ kind: 'blockingOver', since: at });
  }
  return met;
}

/** Whether a counter is near its floor or its ceiling. */
export function isCounterNear(
  value: number,
  { floor, ceiling }: Bounds,
  { counterWithin }: AlertRules,
): boolean {
  if (counterWithin === null) return false;
  return (
    (floor !== null && value - floor <= counterWithin) ||
    (ceiling !== null && ceiling - value <= counterWithin)
  );
}

/** Whether a backend has not served for long enough to meet the rule. */
export const isBackendUnknown = (silentForMs: number, { backendUnknownForMs }: AlertRules) =>
  backendUnknownForMs !== null && silentForMs >= backendUnknownForMs;
