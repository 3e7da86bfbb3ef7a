import type { NamespacePolicy } from '@/server/domain/namespace-policy';
import { exactCount } from '../format/counts';

const UNITS: [ms: number, unit: string][] = [
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
  [1, 'ms'],
];

/** A span as somebody set it: in the largest unit that tells it whole. */
function boundText(ms: number): string {
  const [size, unit] = UNITS.find(([each]) => ms % each === 0) ?? [1, 'ms'];
  return `${exactCount(ms / size)}\u00a0${unit}`;
}

/** A policy in one line, the bounds that matter most first. */
export function policyWords(policy: NamespacePolicy): string {
  const { leaseMinMs, leaseMaxMs, patienceMaxMs, queueLimit, lockDelayMs, requiredMeta } = policy;
  return [
    `lease ${boundText(leaseMinMs)} to ${boundText(leaseMaxMs)}`,
    patienceMaxMs === 0 ? 'no waiting' : `waits up to ${boundText(patienceMaxMs)}`,
    `queue ${exactCount(queueLimit)}`,
    lockDelayMs === 0 ? 'no lock-delay' : `lock-delay ${boundText(lockDelayMs)}`,
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
