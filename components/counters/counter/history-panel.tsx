'use client';

import type { CounterMoveRow, CounterRow } from '@/server/contract/console/counter-row';
import { problemOf } from '../../live/problem';
import { useTRPCClient } from '../../live/trpc';
import { type HistoryPage, useHistoryPages } from '../../live/use-history-pages';
import { Button } from '../../ui/controls/button';
import { Panel } from '../../ui/panel';
import { ProblemNote } from '../../ui/problem-note';
import { RowsSkeleton } from '../../ui/rows-skeleton';
import { CHANGES_SHOWN } from '../counter-limits';
import { ChangeLine } from './change-line';

/** The counter's own news comes before its history can be read. */
const REFETCH_AFTER_MS = 300;

/** What happened to the counter, newest first. */
export function HistoryPanel({
  row,
  initial,
}: {
  row: CounterRow;
  /** Null where they could not be read for the first paint. */
  initial: HistoryPage<CounterMoveRow> | null;
}) {
  const { namespace, name, rev, backend } = row;
  const client = useTRPCClient();
  const { data, error, rows, fetchNextPage, hasNextPage, isFetchingNextPage } = useHistoryPages({
    queryKey: ['counters.moves', namespace, name],
    read: (before) =>
      client.counters.moves.query({
        namespace,
        name,
        limit: CHANGES_SHOWN,
        ...(before !== null && { before }),
      }),
    initial,
    rev,
    afterMs: REFETCH_AFTER_MS,
  });
  return (
    <Panel title="History" aside="newest first">
      {error && (
        <div className="p-3.5">
          <ProblemNote problem={problemOf(error)} title="Could not load history" />
        </div>
      )}
      {!data && !error && <RowsSkeleton />}
      {data && rows.length === 0 && <p className="px-3.5 py-3 text-t2">No changes yet.</p>}
      <ol>
        {rows.map((move) => (
          <ChangeLine key={move.id} move={move} backend={backend} />
        ))}
      </ol>
      {hasNextPage && (
        <div className="border-line border-t px-2 py-1.5">
          <Button
            tone="quiet"
            size="small"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {isFetchingNextPage ? 'Loading…' : 'Load older'}
          </Button>
        </div>
      )}
    </Panel>
  );
}
