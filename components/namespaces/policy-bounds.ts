import { DEFAULT_POLICY, type NamespacePolicy } from '@/server/contract/namespace-policy';
import { boundText } from '../format/bound-text';
import { exactCount } from '../format/counts';

/** One bound of a policy in words; `isInternal`: other than the default one. */
export interface PolicyBound {
  words: string;
  isOwn: boolean;
}

/**
 * A policy bound by bound, those that matter most first. A bound that is not set is left out, but
 * for the lock-delay.
 */
export function policyBounds(policy: NamespacePolicy): PolicyBound[] {
  const { leaseMinMs, leaseMaxMs, patienceMaxMs, queueLimit, lockDelayMs } = policy;
  const { requiredMeta, stuckAfterMs, maxLocks } = policy;
  const isOwn = (...bounds: (keyof NamespacePolicy)[]) =>
    bounds.some((bound) => policy[bound] !== DEFAULT_POLICY[bound]);
  return [
    {
      words: `lease ${boundText(leaseMinMs)} to ${boundText(leaseMaxMs)}`,
      isOwn: isOwn('leaseMinMs', 'leaseMaxMs'),
    },
    {
      words: patienceMaxMs === 0 ? 'no waiting' : `waits up to ${boundText(patienceMaxMs)}`,
      isOwn: isOwn('patienceMaxMs'),
    },
    { words: `queue ${exactCount(queueLimit)}`, isOwn: isOwn('queueLimit') },
    {
      words: lockDelayMs === 0 ? 'no lock-delay' : `lock-delay ${boundText(lockDelayMs)}`,
      isOwn: isOwn('lockDelayMs'),
    },
    { words: `${exactCount(maxLocks)} names`, isOwn: isOwn('maxLocks') },
    ...(stuckAfterMs > 0 ? [{ words: `stuck after ${boundText(stuckAfterMs)}`, isOwn: true }] : []),
    ...(requiredMeta.length > 0 ? [{ words: `meta ${requiredMeta.join(', ')}`, isOwn: true }] : []),
  ];
}
