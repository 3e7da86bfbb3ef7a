'use client';

import { useMemo, useState } from 'react';
import type { LockDetail } from '@/server/contract/console/lock-row';
import { spokenDuration, wholeSeconds } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';
import { totalBlockingMs } from '@/server/core/status/blocking-time';
import { useAtBackend, useRefusing } from '../../../live/reading';
import { Button } from '../../../ui/controls/button';
import { SearchField } from '../../../ui/controls/search-field';
import { Panel } from '../../../ui/panel';
import { unknownLabel } from '../../lock-labels';
import { trendLabel } from '../../pressure-labels';
import { findWaiters, SEARCHED_FROM } from './find-waiters';
import { QueueList } from './queue-list';
import { RefusedAttempts } from './refused-attempts';

/** How many waiters are shown at first; a button shows the others. */
const SHOWN = 8;

/** Who waits, in the order in which they will be served. */
export function QueuePanel({ detail }: { detail: LockDetail }) {
  const { row, waiters } = detail;
  const [isWhole, setWhole] = useState(false);
  const [search, setSearch] = useState('');
  const isSearched = waiters.length >= SEARCHED_FROM && search.trim() !== '';
  const found = useMemo(
    () => findWaiters(waiters, isSearched ? search : ''),
    [waiters, isSearched, search],
  );
  const hidden = isWhole || isSearched ? 0 : waiters.length - SHOWN;
  const isUnknown = row.status === 'unknown';
  return (
    <Panel title="Queue" aside={waiters.length === 0 ? undefined : <QueueAside detail={detail} />}>
      {waiters.length >= SEARCHED_FROM && (
        <SearchField
          label="Find a waiter by owner or service"
          value={search}
          onChange={setSearch}
          className="mx-3.5 my-2"
        />
      )}
      {found.length === 0 ? (
        <p className="px-3.5 py-3 text-t2">
          {isSearched ? 'No waiter matches.' : <EmptyQueue detail={detail} />}
        </p>
      ) : (
        <QueueList
          placed={hidden > 0 ? found.slice(0, SHOWN) : found}
          backend={row.backend}
          lastReadAt={isUnknown ? row.readAt : null}
        />
      )}
      {hidden > 0 && (
        <div className="px-2 py-1.5">
          <Button tone="quiet" size="small" onClick={() => setWhole(true)}>
            Show {exactCount(hidden)} more
          </Button>
        </div>
      )}
      <RefusedAttempts detail={detail} />
    </Panel>
  );
}

function EmptyQueue({ detail: { row, fresh } }: { detail: LockDetail }) {
  const unknown = unknownLabel(row, useRefusing(row));
  if (!fresh && row.waiters > 0) return `${queueLabel(row.waiters, true)}.`;
  return unknown ? `Queue ${unknown}.` : 'No waiters.';
}

/** How many wait, how the queue changes, and the total blocking time. */
function QueueAside({ detail: { row, waiters } }: { detail: LockDetail }) {
  const { blocked, queueTrend, status } = row;
  const blockingMs = useAtBackend(row, (now) =>
    blocked ? wholeSeconds(totalBlockingMs(blocked, now)) : 0,
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
