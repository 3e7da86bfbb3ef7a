import type { Guarantees, StoreSetting } from '../record-store';

const LEVELS = ['Best-effort', 'Timed', 'Strong'] as const;

/**
 * What shards promise together: no more than the weakest of them. A reason that is not true of all
 * names the shards it applies to.
 */
export function joinGuarantees(shards: [name: string, guarantees: Guarantees][]): Guarantees {
  const ranks = shards.map(([, { level }]) => LEVELS.indexOf(level));
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
