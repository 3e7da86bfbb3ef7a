'use client';

import type { WaitGraph } from '@/server/contract/console/waits/wait-graph';
import { plural } from '@/server/core/format/numbers';
import { useBlockingMs } from '../live/reading';
import { Duration } from '../ui/duration';

/** How many wait, and for how long. Only the number is announced, since the time always grows. */
export function WaitTotals({
  graph: { waiting, blockingMs },
  isFiltered,
}: {
  graph: Pick<WaitGraph, 'waiting' | 'blockingMs'>;
  /** The page shows only some of these waits. */
  isFiltered: boolean;
}) {
  const ms = useBlockingMs(blockingMs, waiting);
  return (
    <p className="text-t2">
      <span role="status">
        {waiting > 0 && `${plural(waiting, 'caller')} waiting${isFiltered ? ' on all locks' : ''}`}
      </span>
      {waiting > 0 && (
        <>
          , <Duration ms={ms} /> in total
        </>
      )}
    </p>
  );
}
