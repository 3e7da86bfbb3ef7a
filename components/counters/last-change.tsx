'use client';

import type { CounterRow } from '@/server/contract/console/counter-row';
import { agoText } from '../format/durations';
import { useAtBackend } from '../live/reading';
import { ExactName } from '../ui/exact-name';
import { deltaLabel } from './counter-labels';

/** Who moved a counter last, by how much, and how long ago. */
export function LastChange({ row }: { row: CounterRow }) {
  const { lastMove, backend } = row;
  const agoMs = useAtBackend(backend, (now) =>
    lastMove ? Math.max(0, Math.floor((now - lastMove.at) / 1_000) * 1_000) : 0,
  );
  if (!lastMove) return <span className="text-t3">never changed</span>;
  return (
    <>
      <b className="font-[550]">{deltaLabel(lastMove.delta)}</b>
      <span className="text-t2">
        {' '}
        by <ExactName name={lastMove.who} className="text-12" />
      </span>
      <span className="whitespace-nowrap text-t3"> {agoText(agoMs)}</span>
    </>
  );
}
