const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const DURATION = /^(\d{1,12}(?:\.\d{1,6})?|\.\d{1,6})\s*(ms|s|m|min|h|d)?$/;

/**
 * Milliseconds of `250ms`, `30s`, `1.5m`, `5 min`, `2h` or `1d`, on the command line as in the
 * console; a bare number is seconds, as `flock` and `timeout` read it. Null for anything else.
 */
export function parseDuration(text: string): number | null {
  const [, figure, unit = 's'] = DURATION.exec(text.trim().toLowerCase()) ?? [];
  const unitMs = UNIT_MS[unit === 'min' ? 'm' : unit];
  return figure === undefined || unitMs === undefined ? null : Math.round(Number(figure) * unitMs);
}

/** The text that `parseDuration` reads, in the largest unit without a fraction: `90s`, `2h`. */
export function durationArgument(ms: number): string {
  const units = Object.entries(UNIT_MS).reverse();
  const [unit, unitMs] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1];
  return `${ms / unitMs}${unit}`;
}

/** A duration for people, in its largest unit: `450 ms`, `12.3 s`, `4 m 12 s`, `2 h 5 m`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Math.floor(ms / 100) / 10} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} m ${Math.floor((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}
