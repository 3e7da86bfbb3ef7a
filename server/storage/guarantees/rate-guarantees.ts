import type { Guarantees, StoreSetting } from '../record-store';

/** One fact about a store, and what it means for what the store can promise. */
export interface Finding extends StoreSetting {
  /** Why the store can promise no more than this; absent: the setting weakens nothing. */
  caps?: { level: 'Timed' | 'Best-effort'; reason: string };
  /** Why locks in this store may be granted twice; absent: they are not. */
  unsafe?: string;
}

const RANK = { 'Best-effort': 0, Timed: 1, Strong: 2 } as const;

/**
 * The sum of all findings: the lowest level that one of them leaves, the reasons of that level
 * first. An unsafe store is at most `Best-effort`, even if it is allowed.
 *
 * @param strong why the level is Strong if nothing was found against it
 */
export function rateGuarantees(findings: Finding[], strong: string): Guarantees {
  const unsafe = findings.flatMap((finding) => finding.unsafe ?? []);
  const caps = findings.flatMap((finding) => finding.caps ?? []);
  const all = [
    ...unsafe.map((reason) => ({ level: 'Best-effort' as const, reason })),
    ...caps.sort((a, b) => RANK[a.level] - RANK[b.level]),
  ];
  const [worst] = all;
  return {
    level: worst?.level ?? 'Strong',
    reasons: worst ? [...new Set(all.map(({ reason }) => reason))] : [strong],
    settings: findings.map(({ name, value, complaint }) => ({ name, value, complaint })),
    unsafe: unsafe[0] ?? null,
  };
}
