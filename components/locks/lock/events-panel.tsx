'use client';

import { useState } from 'react';
import type { EventRow, LockDetail } from '@/server/contract/console/lock-row';
import { problemOf } from '../../live/problem';
import { useTRPCClient } from '../../live/trpc';
import { type HistoryPage, useHistoryPages } from '../../live/use-history-pages';
import { Button } from '../../ui/controls/button';
import { Panel } from '../../ui/panel';
import { ProblemNote } from '../../ui/problem-note';
import { RowsSkeleton } from '../../ui/rows-skeleton';
import { EventRun, OneEvent } from './event-line';
import { foldEvents } from './fold-events';

const PAGE = 50;
/** The lock's own news comes before its history can be read. */
const REFETCH_AFTER_MS = 250;

/** What happened to the lock, newest first. */
export function EventsPanel({
  detail,
  initial,
}: {
  detail: LockDetail;
  initial: HistoryPage<EventRow> | null;
}) {
  const { row } = detail;
  const { namespace, name, rev } = row;
  const client = useTRPCClient();
  const { data, error, rows, fetchNextPage, hasNextPage, isFetchingNextPage } = useHistoryPages({
    queryKey: ['locks.events', namespace, name],
    read: (before) =>
      client.locks.events.query({
        namespace,
        name,
        limit: PAGE,
        ...(before !== null && { before }),
      }),
    initial,
    rev,
    afterMs: REFETCH_AFTER_MS,
  });
  const [isFolded, setFolded] = useState(true);
  const lines = foldEvents(rows);
  return (
    <Panel
      title="Events"
      aside="newest first"
      end={
        lines.length < rows.length && (
          <Button tone="quiet" size="small" onClick={() => setFolded(!isFolded)}>
            {isFolded ? 'Show all' : 'Hide routine'}
          </Button>
        )
      }
    >
      {error && (
        <div className="p-3.5">
          <ProblemNote problem={problemOf(error)} title="Could not load events" />
        </div>
      )}
      {!data && !error && <RowsSkeleton />}
      {data && rows.length === 0 && <p className="px-3.5 py-3 text-t2">No events yet.</p>}
      <ol>
        {isFolded
          ? lines.map((line) =>
              line.kind === 'one' ? (
                <OneEvent key={line.id} event={line.event} backend={row.backend} />
              ) : (
                <EventRun key={line.id} of={line.of} events={line.events} backend={row.backend} />
              ),
            )
          : rows.map((event) => <OneEvent key={event.id} event={event} backend={row.backend} />)}
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
