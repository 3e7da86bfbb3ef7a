import type { NamespacePolicy } from '@/server/domain/namespace-policy';
import { boundText } from '../format/bound-text';
import { exactCount } from '../format/counts';

/** A policy in one line, the bounds that matter most first. */
export function policyWords(policy: NamespacePolicy): string {
  const {
    leaseMinMs,
    leaseMaxMs,
    patienceMaxMs,
    queueLimit,
    lockDelayMs,
    requiredMeta,
    stuckAfterMs,
  } = policy;
  return [
    `lease ${boundText(leaseMinMs)} to ${boundText(leaseMaxMs)}`,
    patienceMaxMs === 0 ? 'no waiting' : `waits up to ${boundText(patienceMaxMs)}`,
    `queue ${exactCount(queueLimit)}`,
    lockDelayMs === 0 ? 'no lock-delay' : `lock-delay ${boundText(lockDelayMs)}`,
    ...(stuckAfterMs > 0 ? [`stuck after ${boundText(stuckAfterMs)}`] : []),
    ...(requiredMeta.length > 0 ? [`meta ${requiredMeta.join(', ')}`] : []),
  ].join(' · ');
}

/** What was typed as seconds, in milliseconds. */
export const msOfSeconds = (typed: FormDataEntryValue | null) =>
  Math.round(Number(typed ?? Number.NaN) * 1_000);

/** Keys typed with commas or spaces between them. */
export const keysOf = (typed: FormDataEntryValue | null): string[] =>
  String(typed ?? '')
    .split(/[\s,]+/)
    .filter((key) => key !== '');
