'use client';

import { type ReactNode, useState } from 'react';
import type { EventRow, LockDetail } from '@/server/contract/console/lock-row';
import { spokenDuration } from '../../format/durations';
import { exactCount, plural, shortToken } from '../../format/numbers';
import { Icon } from '../../icons/icon';
import { type HistoryPage, HistoryPanel, useHistoryPages } from '../../live/history-panel';
import { useAtBackend } from '../../live/reading';
import { useTRPCClient } from '../../live/trpc';
import { Button } from '../../ui/controls/button';
import { Instant } from '../../ui/instant';
import { ExactName } from '../../ui/visible-text';
import { type EventLook, eventDetail, eventLook } from './event-labels';
import { foldEvents } from './fold-events';

const PAGE = 50;

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
  const history = useHistoryPages({
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
  });
  const [isFolded, setFolded] = useState(true);
  const { rows } = history;
  const lines = foldEvents(rows);
  return (
    <HistoryPanel
      title="Events"
      history={history}
      end={
        lines.length < rows.length && (
          <Button tone="quiet" size="small" onClick={() => setFolded(!isFolded)}>
            {isFolded ? 'Show all' : 'Hide routine'}
          </Button>
        )
      }
    >
      {isFolded
        ? lines.map((line) =>
            line.kind === 'one' ? (
              <OneEvent key={line.id} event={line.event} backend={row.backend} />
            ) : (
              <EventRun key={line.id} of={line.of} events={line.events} backend={row.backend} />
            ),
          )
        : rows.map((event) => <OneEvent key={event.id} event={event} backend={row.backend} />)}
    </HistoryPanel>
  );
}

/** One event of a lock's history. */
function OneEvent({ event, backend }: { event: EventRow; backend: string }) {
  const detail = eventDetail(event);
  return (
    <Line at={event.at} look={eventLook(event.kind)} token={event.token} backend={backend}>
      {event.owner !== '' && <ExactName name={event.owner} className="text-12 text-t2" />}
      {detail && (
        <span className="truncate text-t2" title={detail}>
          {detail}
        </span>
      )}
    </Line>
  );
}

/** Many events of routine in one line. */
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
        <span className="truncate text-t2">
          {exactCount(events.length)} times {span}
        </span>
      </Line>
    );
  }
  return (
    <Line at={newest.at} look={REPOLLED} token={null} backend={backend}>
      <span className="truncate text-t3">
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
  children,
}: {
  at: number;
  look: EventLook;
  token: number | null;
  backend: string;
  children: ReactNode;
}) {
  const now = useAtBackend(backend, (time) => Math.floor(time / 60_000) * 60_000);
  return (
    <li className="panel-row event-row">
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
