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

/** The part of an acquire that its namespace does not allow. */
export interface PolicyBreach {
  /** For people; names the limit. */
  sentence: string;
  /** The longest wait that is allowed, where more was asked for. */
  waitMaxMs?: number;
}

/**
 * Refuses an acquire that its namespace does not allow, unless it has a request id: it may repeat a
 * request that was answered under an earlier policy, which only the lock's record shows. In that
 * case the result is what to refuse it with if it turns out to be new; otherwise null.
 *
 * @throws LockyardError `INVALID`, which names the limit
 */
export function checkPolicy(
  namespace: string,
  policy: NamespacePolicy,
  ask: Ask,
): PolicyBreach | null {
  const complaint = complaintOf(policy, ask);
  if (complaint === null) return null;
  const { sentence, ...more } = complaint;
  const breach = { sentence: `${sentence} in namespace ${namespace}.`, ...more };
  if (ask.requestId === undefined) throw outsidePolicy(breach);
  return breach;
}

/** The error for an acquire that its namespace does not allow. */
export function outsidePolicy({ sentence, ...more }: PolicyBreach): LockyardError {
  return new LockyardError('INVALID', sentence, more);
}

/** The breach, if any. Its sentence does not name the namespace yet. */
function complaintOf(policy: NamespacePolicy, ask: Ask): PolicyBreach | null {
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
 * The lease that a renewal gets: never more than the namespace allows. A longer request is
 * shortened, not refused: a refusal would take the lock from a holder that started before the
 * policy changed.
 */
export function allowedLeaseMs({ leaseMaxMs }: NamespacePolicy, leaseMs: number): number {
  return Math.min(leaseMs, leaseMaxMs);
}
