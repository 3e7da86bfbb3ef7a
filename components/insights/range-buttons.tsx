import { INSIGHT_RANGES, type InsightRange } from '@/server/contract/console/insight-row';
import { RANGE_LABELS } from '../charts/chart-range';

/** Chooses how far back charts begin. */
export function RangeButtons({
  range,
  isPast = false,
  onRange,
}: {
  range: InsightRange;
  /** Whether the range ends at a past time. */
  isPast?: boolean;
  onRange: (range: InsightRange) => void;
}) {
  return (
    <fieldset className="flex gap-1">
      <legend className="sr-only">Range</legend>
      {INSIGHT_RANGES.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === range}
          aria-label={isPast ? RANGE_LABELS[each].span : RANGE_LABELS[each].long}
          onClick={() => onRange(each)}
          className="range-button"
        >
          {RANGE_LABELS[each].short}
        </button>
      ))}
    </fieldset>
  );
}
