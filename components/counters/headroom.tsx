import type { CounterRow } from '@/server/contract/console/counter-row';
import { boundsPosition, headroomLabel } from './counter-labels';

const isTight = (state: string) => state !== 'within' && state !== 'unknown';

/** How far a counter is from its bounds: a bar where it has both, and in words. */
export function Headroom({ row }: { row: CounterRow }) {
  const { state, share } = boundsPosition(row);
  const tight = isTight(state);
  return (
    <span className="room">
      {share !== null && (
        <span aria-hidden="true" className="room-bar" data-tight={tight}>
          <span style={{ inlineSize: `${share * 100}%` }} />
        </span>
      )}
      <span className={`text-12 ${tight ? 'font-[550] text-contended' : 'text-t2'}`}>
        {headroomLabel(row)}
      </span>
    </span>
  );
}
