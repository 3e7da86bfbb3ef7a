import type { Guarantees } from './record-store';

const LEVELS = ['Best-effort', 'Timed', 'Strong'] as const;

/** What shards together can promise: no more than the weakest of them. Each setting and reason says whose it is. */
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
  const told = (reason: string, names: string[]) =>
    names.length === shards.length ? reason : `${names.join(', ')}: ${reason}`;
  const [unsafe] = shards.flatMap(([name, { unsafe: why }]) =>
    why === null ? [] : [`${name}: ${why}`],
  );
  return {
    level,
    reasons: [...reasons].map(([reason, names]) => told(reason, names)),
    settings: shards.flatMap(([name, { settings }]) =>
      settings.map((setting) => ({ ...setting, name: `${setting.name} of ${name}` })),
    ),
    unsafe: unsafe ?? null,
  };
}
