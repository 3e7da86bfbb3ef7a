import { LockyardError } from '../../contract/errors';
import type { NamespacePolicy } from '../../contract/namespace-policy';
import type { Meta } from '../../contract/primitives';

/** The part of an acquire that a namespace's policy limits. */
interface Ask {
  leaseMs: number;
  waitMs: number;
  meta: Meta;
  requestId?: string | undefined;
}

/** How an acquire exceeds the policy of its namespace. */
export interface PolicyBreach {
  /** A sentence for people, which names the limit. */
  sentence: string;
  /** The longest wait that is allowed; present if `waitMs` exceeds it. */
  waitMaxMs?: number;
}

/**
 * Refuses an acquire that its namespace does not allow, unless it has a request id: it may repeat a
 * request that was answered under an earlier policy, which only the lock's record shows.
 *
 * @returns the breach with which to refuse it if the request turns out to be new; null: allowed
 * @throws LockyardError `INVALID`, which names the limit
 */
export function checkPolicy(
  namespace: string,
  policy: NamespacePolicy,
  ask: Ask,
): PolicyBreach | null {
  const found = breachOf(policy, ask);
  if (found === null) return null;
  const { sentence, ...more } = found;
  const breach = { sentence: `${sentence} in namespace ${namespace}.`, ...more };
  if (ask.requestId === undefined) throw outsidePolicy(breach);
  return breach;
}

/** The error for an acquire that its namespace does not allow. */
export function outsidePolicy({ sentence, ...more }: PolicyBreach): LockyardError {
  return new LockyardError('INVALID', sentence, more);
}

/** The breach, if any. Its sentence does not name the namespace yet. */
function breachOf(policy: NamespacePolicy, ask: Ask): PolicyBreach | null {
  const { leaseMinMs, leaseMaxMs, patienceMaxMs, requiredMeta } = policy;
  if (ask.leaseMs < leaseMinMs) return { sentence: `leaseMs must be at least ${leaseMinMs}` };
  if (ask.leaseMs > leaseMaxMs) return { sentence: `leaseMs must be at most ${leaseMaxMs}` };
  if (ask.waitMs > patienceMaxMs) {
    return { sentence: `waitMs must be at most ${patienceMaxMs}`, waitMaxMs: patienceMaxMs };
  }
  const missing = requiredMeta.filter((key) => !Object.hasOwn(ask.meta, key) || !ask.meta[key]);
  if (missing.length === 0) return null;
  return { sentence: `meta must have ${missing.map((key) => `"${key}"`).join(', ')}` };
}

/**
 * The lease that a renewal gets, in milliseconds: at most what the namespace allows. A longer one
 * is shortened, not refused: a refusal would take the lock from a holder that started before the
 * policy changed.
 */
export function allowedLeaseMs({ leaseMaxMs }: NamespacePolicy, leaseMs: number): number {
  return Math.min(leaseMs, leaseMaxMs);
}
