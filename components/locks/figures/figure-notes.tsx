import { MINUTE_MS } from '@/server/core/time-units';
import { countText } from '../../format/numbers';
import { type SeriesPoint, spanMsOf } from './fleet-series';

/** A longer text leaves less room for its span of time. */
const LONG_CHARS = 12;

/** A figure of the last hour; a narrow tile abbreviates the words. */
export function InHour({ what }: { what: string }) {
  return (
    <span className="figure-hour" data-long={what.length > LONG_CHARS}>
      {what} <span>in last hour</span>
      <span>in 1&nbsp;h</span>
    </span>
  );
}

/** The lowest and the highest reading, and over how long. */
export function Range({
  of: [low, high],
  course,
}: {
  of: readonly [low: number, high: number];
  course: readonly SeriesPoint[];
}) {
  const seenMs = spanMsOf(course);
  if (seenMs < MINUTE_MS) return 'collecting…';
  const label = low === high ? 'no change' : `${countText(low)}–${countText(high)}`;
  const minutes = Math.round(seenMs / MINUTE_MS);
  return minutes >= 59 ? <InHour what={label} /> : `${label} in last ${minutes}\u00a0min`;
}
