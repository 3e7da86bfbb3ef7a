import type { CounterRow } from '@/server/contract/console/counter-row';
import { exactCount } from '../format/counts';
import { Icon } from '../icons/icon';

/** A counter's value, marked as such where it is only the last known one. */
export function CounterValue({ row }: { row: CounterRow }) {
  const { value, isKnown } = row;
  if (isKnown && value !== null) return exactCount(value);
  return (
    <span className="inline-flex items-center gap-1.5 text-unknown" title="Current value unknown">
      <Icon name="question" size={14} />
      {value === null ? 'unknown' : exactCount(value)}
      {value !== null && <span className="text-12">last known</span>}
    </span>
  );
}
