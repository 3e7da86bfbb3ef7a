import { durationParts } from '@/server/core/format/durations';

/** A duration whose units are less prominent than its figures. */
export function Duration({ ms, atLeast = false }: { ms: number; atLeast?: boolean }) {
  return (
    <span className="whitespace-nowrap">
      {atLeast && <span className="text-t3">≥{'\u00a0'}</span>}
      {durationParts(ms).map(({ value, unit }, place) => (
        <span key={unit}>
          {place > 0 && '\u00a0'}
          {value}
          <span className="unit">{unit}</span>
        </span>
      ))}
    </span>
  );
}
