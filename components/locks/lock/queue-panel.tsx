'use client';

import { useState } from 'react';
import type { LockDetail, WaiterRow } from '@/server/contract/console/lock-row';
import { totalBlockingMs } from '@/server/core/status/blocking-time';
import { spokenDuration } from '../../format/durations';
import { exactCount, plural } from '../../format/numbers';
import { visibleText } from '../../format/visible-name';
import { useAtBackend } from '../../live/reading';
import { Button } from '../../ui/controls/button';
import { Duration } from '../../ui/duration';
import { Panel } from '../../ui/panel';
import { ExactName } from '../../ui/visible-text';
import { trendLabel } from '../pressure-labels';
import { Countdown, LeaseBar } from '../row/lease-left';
import { RefusedAttempts } from './refused-attempts';

const SHOWN = 8;
const MORE = 100;

/** Who waits, in the order in which they will be served. */
export function QueuePanel({ detail }: { detail: LockDetail }) {
  const { row, waiters } = detail;
  const [shown, setShown] = useState(SHOWN);
  const hidden = waiters.length - shown;
  const isUnknown = row.status === 'unknown';
  return (
    <Panel title="Queue" aside={waiters.length === 0 ? undefined : <QueueAside detail={detail} />}>
      {waiters.length === 0 ? (
        <p className="px-3.5 py-3 text-t2">{emptyQueueText(detail)}</p>
      ) : (
        <ol>
          <li aria-hidden="true" className="panel-row queue-row text-12 text-t3 max-sm:hidden">
            <span className="text-right">#</span>
            <span>Owner</span>
            <span className="text-right">Waiting</span>
            <span>Times out in</span>
          </li>
          {waiters.slice(0, shown).map((waiter, place) => (
            <Waiter
              key={waiter.ticket}
              waiter={waiter}
              place={place}
              backend={row.backend}
              lastReadAt={isUnknown ? row.readAt : null}
            />
          ))}
        </ol>
      )}
      {hidden > 0 && (
        <div className="px-2 py-1.5">
          <Button tone="quiet" size="small" onClick={() => setShown(shown + MORE)}>
            Show {exactCount(hidden)} more
          </Button>
        </div>
      )}
      <RefusedAttempts detail={detail} />
    </Panel>
  );
}

function emptyQueueText({ row, fresh }: LockDetail): string {
  if (!fresh && row.waiters > 0) return `${queueLabel(row.waiters, true)}.`;
  return row.status === 'unknown' ? 'Queue unknown: backend not responding.' : 'No waiters.';
}

/** How many wait, how the queue changes, and how long all callers have been kept from the lock. */
function QueueAside({ detail: { row, waiters } }: { detail: LockDetail }) {
  const { blocked, backend, queueTrend, status } = row;
  const blockingMs = useAtBackend(backend, (now) =>
    blocked ? Math.floor(totalBlockingMs(blocked, now) / 1_000) * 1_000 : 0,
  );
  const isUnknown = status === 'unknown';
  const label = queueLabel(waiters.length, isUnknown, queueTrend);
  const isSummed = blocked !== undefined && blocked.callers > 1 && !isUnknown;
  return <>{isSummed ? `${label}, total blocking time ${spokenDuration(blockingMs)}` : label}</>;
}

function queueLabel(count: number, isUnknown: boolean, trend?: number): string {
  if (isUnknown) return `${exactCount(count)} waiting at last update`;
  return [`${exactCount(count)} waiting`, trendLabel(trend)].filter(Boolean).join(', ');
}

function Waiter({
  waiter,
  place,
  backend,
  lastReadAt,
}: {
  waiter: WaiterRow;
  place: number;
  backend: string;
  /** If the queue is not known: when it last was, by the backend's clock. */
  lastReadAt: number | null;
}) {
  const { owner, service, enqueuedAt, patienceUntil, detached, setSize, permits } = waiter;
  const ageMs = useAtBackend(
    backend,
    (now) => Math.floor(Math.max(0, (lastReadAt ?? now) - enqueuedAt) / 1_000) * 1_000,
  );
  return (
    <li className="panel-row queue-row">
      <span className="text-right text-t3">{exactCount(place + 1)}</span>
      <span
        className="flex min-w-0 items-baseline gap-2.5"
        title={`${visibleText(owner)}, service ${service}`}
      >
        <ExactName name={owner} className="text-12" />
        {place === 0 && lastReadAt === null && <span className="text-12 text-acc">next</span>}
        {permits !== undefined && (
          <span className="truncate text-12 text-t3">{plural(permits, 'permit')}</span>
        )}
        {setSize && (
          <span
            className="truncate text-12 text-t3"
            title={`Waits for ${setSize} locks and takes all of them together`}
          >
            multi-lock ({setSize})
          </span>
        )}
        {detached && (
          <span className="truncate text-12 text-t3" title="Waiter is between long-poll requests">
            reconnecting
          </span>
        )}
      </span>
      <span className="text-right">
        <Duration ms={ageMs} />
      </span>
      <span className="flex items-center gap-2.5">
        {lastReadAt === null ? (
          <Countdown
            backend={backend}
            until={patienceUntil}
            wholeMs={Math.max(1, patienceUntil - enqueuedAt)}
          />
        ) : (
          <>
            <LeaseBar share={0} look="unknown" />
            <span className="text-t3" title="Unknown: data is stale">
              ?
            </span>
          </>
        )}
      </span>
    </li>
  );
}
