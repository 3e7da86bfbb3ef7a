import { DEFAULT_POLICY, type NamespacePolicy } from '@/server/contract/namespace-policy';
import { boundText } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';

/** One limit of a policy; `isCustom`: differs from the default policy. */
export interface PolicyBound {
  label: string;
  isCustom: boolean;
}

/** A policy as it was requested; it may leave the number of names to the server. */
type AskedPolicy = Omit<NamespacePolicy, 'maxLocks'> & { maxLocks?: number };

/** The limits of a policy, the most important first. A limit that is not set is left out. */
export function policyBounds(policy: AskedPolicy): PolicyBound[] {
  const { leaseMinMs, leaseMaxMs, patienceMaxMs, queueLimit, lockDelayMs } = policy;
  const { requiredMeta, stuckAfterMs, standbyExpected, releaseOrphans, maxLocks, gate } = policy;
  const isCustom = (...bounds: (keyof NamespacePolicy)[]) =>
    bounds.some((bound) => policy[bound] !== DEFAULT_POLICY[bound]);
  return [
    {
      label: `lease ${boundText(leaseMinMs)} to ${boundText(leaseMaxMs)}`,
      isCustom: isCustom('leaseMinMs', 'leaseMaxMs'),
    },
    {
      label: patienceMaxMs === 0 ? 'no waiting' : `max wait ${boundText(patienceMaxMs)}`,
      isCustom: isCustom('patienceMaxMs'),
    },
    { label: `max queue ${exactCount(queueLimit)}`, isCustom: isCustom('queueLimit') },
    {
      label: lockDelayMs === 0 ? 'no lock delay' : `lock delay ${boundText(lockDelayMs)}`,
      isCustom: isCustom('lockDelayMs'),
    },
    ...(maxLocks === undefined
      ? []
      : [
          {
            label: `max ${exactCount(maxLocks)} ${maxLocks === 1 ? 'name' : 'names'}`,
            isCustom: isCustom('maxLocks'),
          },
        ]),
    ...(stuckAfterMs > 0
      ? [{ label: `stuck after ${boundText(stuckAfterMs)}`, isCustom: true }]
      : []),
    ...(standbyExpected ? [{ label: 'standbys expected', isCustom: true }] : []),
    ...(releaseOrphans ? [{ label: 'orphans released', isCustom: true }] : []),
    ...(gate ? [{ label: `gate ${gate}`, isCustom: true }] : []),
    ...(requiredMeta.length > 0
      ? [{ label: `required metadata: ${requiredMeta.join(', ')}`, isCustom: true }]
      : []),
  ];
}

/** A policy in one line. */
export const formatPolicy = (policy: AskedPolicy): string =>
  policyBounds(policy)
    .map(({ label }) => label)
    .join(', ');
