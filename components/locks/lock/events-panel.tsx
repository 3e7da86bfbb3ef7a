'use client';

import Link from 'next/link';
import { memo, type ReactNode, useEffect, useMemo, useState } from 'react';
import type { EventRow, LockDetail } from '@/server/contract/console/lock-row';
import { spokenDuration, wholeSeconds } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { minuteOf } from '@/server/core/statistics/minute-rollup';
import { auditPathOf } from '../../audit/audit-query';
import { shortToken } from '../../format/numbers';
import { Icon } from '../../icons/icon';
import { type HistoryPage, HistoryPanel, useHistoryPages } from '../../live/history-panel';
import { useAtBackend } from '../../live/reading';
import { useTRPCClient } from '../../live/trpc';
import { Button } from '../../ui/controls/button';
import { Instant } from '../../ui/instant';
import { ExactName } from '../../ui/visible-text';
import { type EventLook, eventDetail, eventLook } from './event-labels';
import { type EventLine, foldEvents } from './fold-events';
import { pinnedEvents } from './pinned-events';

const PAGE = 50;

/** Older pages are loaded without a click until this many lines are shown. */
const LINES_MIN = 8;
const PAGES_MAX = 6;

/** Pinned events are repeated above the list, unless they are among this many lines at its top. */
const TOP_LINES = 5;

/** What happened to the lock, newest first. */
export function EventsPanel({
  detail,
  initial,
}: {
  detail: LockDetail;
  initial: HistoryPage<EventRow> | null;
}) {
  const { row } = detail;
  const { namespace, name, rev, readAt } = row;
  const client = useTRPCClient();
  const past = detail.past === undefined ? {} : { until: readAt };
  const history = useHistoryPages({
    queryKey: ['locks.events', namespace, name, past],
    read: (from) => client.locks.events.query({ namespace, name, limit: PAGE, ...past, ...from }),
    initial,
    rev,
  });
  const [isFolded, setFolded] = useState(true);
  const { rows } = history;
  const lines = useMemo(() => foldEvents(rows), [rows]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage, data, error } = history;
  const loadsMore =
    hasNextPage && lines.length < LINES_MIN && (data?.pages.length ?? 0) < PAGES_MAX && !error;
  useEffect(() => {
    if (loadsMore && !isFetchingNextPage) void fetchNextPage();
  }, [loadsMore, isFetchingNextPage, fetchNextPage]);
  return (
    <HistoryPanel
      title="Events"
      history={history}
      end={
        <span className="flex items-center gap-3">
          <Link href={auditPathOf(namespace, name)} prefetch={false} className="rounded-4 text-t2">
            Audit log
          </Link>
          {lines.length < rows.length && (
            <Button tone="quiet" size="small" onClick={() => setFolded(!isFolded)}>
              {isFolded ? 'Show all' : 'Hide routine'}
            </Button>
          )}
        </span>
      }
    >
      <PinnedLines detail={detail} top={lines.slice(0, TOP_LINES)} />
      {isFolded ? (
        <EventLines lines={lines} backend={row.backend} />
      ) : (
        rows.map((event) => <OneEvent key={event.id} event={event} backend={row.backend} />)
      )}
    </HistoryPanel>
  );
}

/** Redrawn only when the events change, not whenever the lock is read. */
const EventLines = memo(function EventLines({
  lines,
  backend,
}: {
  lines: EventLine[];
  backend: string;
}) {
  return lines.map((line) =>
    line.kind === 'one' ? (
      <OneEvent key={line.id} event={line.event} backend={backend} />
    ) : (
      <EventRun key={line.id} of={line.of} events={line.events} backend={backend} />
    ),
  );
});

/** The events that explain the present state and are not at the top of the list anyway. */
function PinnedLines({ detail, top }: { detail: LockDetail; top: EventLine[] }) {
  const { backend } = detail.row;
  const now = useAtBackend({ backend }, (at) => wholeSeconds(at));
  const shown = new Set(
    top.flatMap((line) => (line.kind === 'one' ? [`${line.event.kind} ${line.event.at}`] : [])),
  );
  return pinnedEvents(detail, now)
    .filter(({ id, at }) => !shown.has(`${id} ${at}`))
    .map(({ id, at, look, owner, detail: words, token }) => (
      <Line key={id} at={at} look={look} token={token} backend={backend} isPinned>
        {owner !== '' && <ExactName name={owner} className="text-12 text-t2" />}
        <span className="event-detail text-t2" title={words}>
          {words}
        </span>
      </Line>
    ));
}

/** One event of a lock's history. */
function OneEvent({ event, backend }: { event: EventRow; backend: string }) {
  const detail = eventDetail(event);
  return (
    <Line at={event.at} look={eventLook(event.kind)} token={event.token} backend={backend}>
      {event.owner !== '' && <ExactName name={event.owner} className="text-12 text-t2" />}
      {detail && (
        <span className="event-detail text-t2" title={detail}>
          {detail}
        </span>
      )}
    </Line>
  );
}

/** Several routine events in one line. */
function EventRun({
  of,
  events,
  backend,
}: {
  of: 'renewals' | 'calls';
  /** Newest first. */
  events: EventRow[];
  backend: string;
}) {
  const newest = events[0];
  const oldest = events.at(-1);
  if (!newest || !oldest) return null;
  const owners = new Set(events.map(({ owner }) => owner)).size;
  const spanMs = newest.at - oldest.at;
  const span = spanMs < 1_000 ? 'within 1\u00a0s' : `over ${spokenDuration(spanMs)}`;
  if (of === 'renewals') {
    return (
      <Line at={newest.at} look={eventLook('renewed')} token={newest.token} backend={backend}>
        <ExactName name={newest.owner} className="text-12 text-t2" />
        <span className="event-detail text-t2">
          {exactCount(events.length)} times {span}
        </span>
      </Line>
    );
  }
  return (
    <Line at={newest.at} look={REPOLLED} token={null} backend={backend}>
      <span className="event-detail text-t3">
        {plural(owners, 'waiter')} re-polled {span}
      </span>
    </Line>
  );
}

const REPOLLED: EventLook = { label: 'Re-polled', icon: 'refresh', ink: 'text-t3' };

function Line({
  at,
  look: { label, icon, ink },
  token,
  backend,
  isPinned = false,
  children,
}: {
  at: number;
  look: EventLook;
  token: number | null;
  backend: string;
  isPinned?: boolean;
  children: ReactNode;
}) {
  const now = useAtBackend({ backend }, (at) => minuteOf({ at }));
  return (
    <li className="panel-row event-row" data-pinned={isPinned}>
      <span className="text-12 text-t3">
        <Instant at={at} now={now} clock={backend} />
      </span>
      <span className={`flex items-center gap-2 ${ink}`}>
        <Icon name={icon} size={14} />
        {label}
      </span>
      <span className="event-words">{children}</span>
      <span className="text-right font-mono text-12 text-t3 max-sm:hidden">
        {token !== null && <span title={`Token ${token}`}>{shortToken(token)}</span>}
      </span>
    </li>
  );
}
