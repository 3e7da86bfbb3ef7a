import { exactCount } from '@/server/core/format/numbers';
import { countText } from '../../format/numbers';

/** A number of a figure, abbreviated where it is long; the whole one is its title. */
export function FigureCount({ of }: { of: number }) {
  return (
    <span className={of === 0 ? 'text-t3' : 'text-t1'} title={exactCount(of)}>
      {countText(of)}
    </span>
  );
}
