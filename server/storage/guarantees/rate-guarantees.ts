import type { Guarantees, StoreSetting } from '../record-store';

/** One fact about a store, and what it means for what the store can promise. */
export interface Finding extends StoreSetting {
  /** Why the store can promise no more than this; absent: the setting weakens nothing. */
  caps?: { level: 'Timed' | 'Best-effort'; reason: string };
  /** Why locks in this store may be granted twice; absent: they are not. */
  unsafe?: string;
}

/** A finding that weakens nothing. */
export const fine = (name: string, value: string): Finding => ({ name, value, complaint: null });

/** A finding with which some crash or fail-over may break a promise. */
export function bestEffort(
  name: string,
  value: string,
  complaint: string,
  reason: string,
): Finding {
  return { name, value, complaint, caps: { level: 'Best-effort', reason } };
}

const LEVELS = ['Best-effort', 'Timed', 'Strong'] as const;

const rank = (level: Guarantees['level']) => LEVELS.indexOf(level);

/**
 * Combines all findings: the lowest level that one of them allows, with the reasons for that level
 * first. An unsafe store is at most `Best-effort`, even if it is allowed.
 *
 * @param strong why the level is Strong if nothing was found against it
 */
export function rateGuarantees(findings: Finding[], strong: string): Guarantees {
  const unsafe = findings.flatMap((finding) => finding.unsafe ?? []);
  const caps = findings.flatMap((finding) => finding.caps ?? []);
  const all = [
    ...unsafe.map((reason) => ({ level: 'Best-effort' as const, reason })),
    ...caps.sort((a, b) => rank(a.level) - rank(b.level)),
  ];
  const [worst] = all;
  return {
    level: worst?.level ?? 'Strong',
    reasons: worst ? [...new Set(all.map(({ reason }) => reason))] : [strong],
    settings: findings.map(({ name, value, complaint }) => ({ name, value, complaint })),
    unsafe: unsafe[0] ?? null,
  };
}

/** What shards promise together: what the weakest does. Reasons name the shards they apply to. */
export function joinGuarantees(shards: [name: string, guarantees: Guarantees][]): Guarantees {
  const ranks = shards.map(([, { level }]) => rank(level));
  const level = LEVELS[Math.min(...ranks)] ?? 'Best-effort';
  const reasons = new Map<string, string[]>();
  for (const [name, guarantees] of shards) {
    if (guarantees.level !== level) continue;
    for (const reason of guarantees.reasons) {
      reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
    }
  }
  const withNames = (reason: string, names: string[]) =>
    names.length === shards.length ? reason : `${names.join(', ')}: ${reason}`;
  const [unsafe] = shards.flatMap(([name, { unsafe: why }]) =>
    why === null ? [] : [`${name}: ${why}`],
  );
  return {
    level,
    reasons: [...reasons].map(([reason, names]) => withNames(reason, names)),
    settings: joinSettings(shards),
    unsafe: unsafe ?? null,
  };
}

/** A setting that all shards share is listed once; one that differs is listed per shard. */
function joinSettings(shards: [name: string, guarantees: Guarantees][]): StoreSetting[] {
  const byText = new Map<string, { setting: StoreSetting; names: string[] }>();
  for (const [name, { settings }] of shards) {
    for (const setting of settings) {
      const text = JSON.stringify([setting.name, setting.value, setting.complaint]);
      const same = byText.get(text) ?? { setting, names: [] };
      byText.set(text, same);
      same.names.push(name);
    }
  }
  return [...byText.values()].map(({ setting, names }) =>
    names.length === shards.length
      ? setting
      : { ...setting, name: `${setting.name} of ${names.join(', ')}` },
  );
}
