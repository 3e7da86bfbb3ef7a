import type { NamespacePolicy } from '@/server/contract/namespace-policy';

/** What was typed into `PolicyFields`; null for the default policy. */
export function parsePolicyForm(form: FormData): NamespacePolicy | null {
  if (form.get('whose') !== 'own') return null;
  return {
    leaseMinMs: msOfSeconds(form.get('leaseMin')),
    leaseMaxMs: msOfSeconds(form.get('leaseMax')),
    patienceMaxMs: msOfSeconds(form.get('patience')),
    queueLimit: Number(form.get('queue')),
    lockDelayMs: msOfSeconds(form.get('delay')),
    requiredMeta: keysOf(form.get('meta')),
    stuckAfterMs: msOfSeconds(form.get('stuck')),
    maxLocks: Number(form.get('maxLocks')),
  };
}

/** What was typed as seconds, in milliseconds. */
const msOfSeconds = (typed: FormDataEntryValue | null) =>
  Math.round(Number(typed ?? Number.NaN) * 1_000);

/** Keys typed with commas or spaces between them. */
const keysOf = (typed: FormDataEntryValue | null): string[] =>
  String(typed ?? '')
    .split(/[\s,]+/)
    .filter((key) => key !== '');
