import { LockyardError } from './errors';
import type { Meta } from './lock-record';
import type { NamespacePolicy } from './namespace-policy';

/** The part of an acquire that a namespace's policy bounds. */
interface Ask {
  leaseMs: number;
  waitMs: number;
  meta: Meta;
}

/** Refuses an acquire that its namespace does not allow. Throws LockyardError `INVALID`, which names the bound. */
export function checkPolicy(namespace: string, policy: NamespacePolicy, ask: Ask): void {
  const { leaseMinMs, leaseMaxMs, patienceMaxMs, requiredMeta } = policy;
  const refuse = (complaint: string) => {
    throw new LockyardError('INVALID', `${complaint} in namespace ${namespace}.`);
  };
  if (ask.leaseMs < leaseMinMs) refuse(`leaseMs must be at least ${leaseMinMs}`);
  if (ask.leaseMs > leaseMaxMs) refuse(`leaseMs must be at most ${leaseMaxMs}`);
  if (ask.waitMs > patienceMaxMs) refuse(`waitMs must be at most ${patienceMaxMs}`);
  const missing = requiredMeta.filter((key) => !Object.hasOwn(ask.meta, key) || !ask.meta[key]);
  if (missing.length > 0) refuse(`meta must have ${missing.map((key) => `"${key}"`).join(', ')}`);
}

/**
 * The lease that a renewal gets: never more than the namespace allows. A renewal is not refused for it, for that would
 * take the lock from whoever began before the policy was changed.
 */
export function allowedLeaseMs({ leaseMaxMs }: NamespacePolicy, leaseMs: number): number {
  return Math.min(leaseMs, leaseMaxMs);
}
