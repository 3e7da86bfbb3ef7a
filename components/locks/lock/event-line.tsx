'use client';

import type { ReactNode } from 'react';
import type { EventRow } from '@/server/contract/console/lock-row';
import { exactCount, plural } from '../../format/counts';
import { spokenDuration } from '../../format/durations';
import { shortToken } from '../../format/tokens';
import { Icon } from '../../icons/icon';
import { useAtBackend } from '../../live/reading';
import { ExactName } from '../../ui/exact-name';
import { Instant } from '../../ui/instant';
import { type EventLook, eventDetail, eventLook } from './event-labels';

/** One event of a lock's history. */
export function OneEvent({ event, backend }: { event: EventRow; backend: string }) {
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
export function EventRun({
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
    <li className="event-row">
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
