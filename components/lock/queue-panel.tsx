'use client';

import { useState } from 'react';
import type { LockDetail, WaiterRow } from '@/server/domain/lock-row';
import { exactCount } from '../format/counts';
import { useAtBackend } from '../live/reading';
import { Countdown } from '../locks/lease-left';
import { Button } from '../ui/button';
import { Duration } from '../ui/duration';
import { ExactName } from '../ui/exact-name';
import { Panel } from '../ui/panel';

const SHOWN = 8;
const MORE = 100;

/** Who waits, in the order in which they will be served. */
export function QueuePanel({ detail }: { detail: LockDetail }) {
  const { row, waiters } = detail;
  const [shown, setShown] = useState(SHOWN);
  const hidden = waiters.length - shown;
  return (
    <Panel
      title="Queue"
      aside={waiters.length === 0 ? undefined : `${exactCount(waiters.length)} wait`}
      end={waiters.length > 0 && <span className="max-sm:hidden">place · age · patience left</span>}
    >
      {waiters.length === 0 ? (
        <p className="px-3.5 py-3 text-t2">
          {row.status === 'unknown'
            ? 'Not known: its backend does not tell who waits.'
            : 'Nobody waits.'}
        </p>
      ) : (
        <ol>
          {waiters.slice(0, shown).map((waiter, place) => (
            <Waiter key={waiter.ticket} waiter={waiter} place={place} backend={row.backend} />
          ))}
        </ol>
      )}
      {hidden > 0 && (
        <div className="px-2 py-1.5">
          <Button tone="quiet" size="small" onClick={() => setShown(shown + MORE)}>
            {exactCount(hidden)} more
          </Button>
        </div>
      )}
    </Panel>
  );
}

function Waiter({ waiter, place, backend }: { waiter: WaiterRow; place: number; backend: string }) {
  const { owner, service, enqueuedAt, patienceUntil, detached, setSize } = waiter;
  const ageMs = useAtBackend(backend, (now) => Math.floor((now - enqueuedAt) / 1_000) * 1_000);
  return (
    <li className="queue-row">
      <span className="text-right text-t3">{exactCount(place + 1)}</span>
      <span className="flex min-w-0 items-baseline gap-2.5" title={`${owner}, service ${service}`}>
        <ExactName name={owner} className="text-12" />
        {place === 0 && <span className="text-12 text-acc">next</span>}
        {setSize && (
          <span
            className="truncate text-12 text-t3"
            title="It takes this lock only together with the others that it wants"
          >
            wants {setSize} together
          </span>
        )}
        {detached && (
          <span
            className="truncate text-12 text-t3"
            title="Between two requests: nobody is on the line at this moment"
          >
            off the line
          </span>
        )}
      </span>
      <span className="text-right">
        <Duration ms={ageMs} />
      </span>
      <span className="flex items-center gap-2.5">
        <Countdown
          backend={backend}
          until={patienceUntil}
          wholeMs={Math.max(1, patienceUntil - enqueuedAt)}
        />
      </span>
    </li>
  );
}
