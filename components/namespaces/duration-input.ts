const UNITS_MS: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads `500ms`, `30s`, `5m`, `24h` or `7d`, and seconds without a unit; null: no duration. */
export function readDuration(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  if (!match) return null;
  const unitMs = UNITS_MS[match[2]?.toLowerCase() || 's'];
  return unitMs === undefined ? null : Math.round(Number(match[1]) * unitMs);
}

/** A duration as it is entered, in the largest unit that needs no fraction. */
export function durationInput(ms: number): string {
  if (ms === 0) return '0';
  const unit = ['h', 'm', 's'].find((each) => ms % (UNITS_MS[each] ?? 1) === 0) ?? 'ms';
  return `${ms / (UNITS_MS[unit] ?? 1)}${unit}`;
}
