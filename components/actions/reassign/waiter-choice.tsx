'use client';

import { useMemo, useState } from 'react';
import type { LockRow, WaiterRow } from '@/server/contract/console/lock-row';
import { exactCount, plural } from '@/server/core/format/numbers';
import { useAtBackend } from '../../live/reading';
import { findWaiters, SEARCHED_FROM } from '../../locks/lock/queue/find-waiters';
import { SearchField } from '../../ui/controls/search-field';
import { Duration } from '../../ui/duration';
import { ExactName } from '../../ui/visible-text';
import type { HoldSnapshot } from '../hold-snapshot';
import { waiterObstacle } from './waiter-obstacle';

const WHY_NOT: Partial<Record<NonNullable<ReturnType<typeof waiterObstacle>>, string>> = {
  multiLock: 'multi-lock',
  noRoom: 'does not fit',
};

/** The other waiters of a longer queue are found with the search field. */
const SHOWN_MAX = 50;

/** The queue, with a radio button for each waiter. */
export function WaiterChoice({
  side,
  row,
  ticket,
  onChoose,
}: {
  side: HoldSnapshot;
  row: LockRow;
  /** The chosen waiter; null: none yet. */
  ticket: number | null;
  onChoose: (ticket: number) => void;
}) {
  const now = useAtBackend(row, (at) => at);
  const [search, setSearch] = useState('');
  const { queue } = side;
  const found = useMemo(() => findWaiters(queue ?? [], search), [queue, search]);
  if (queue === null) return <p className="text-t2">Loading the queue…</p>;
  const hidden = found.length - SHOWN_MAX;
  return (
    <fieldset>
      <legend className="mb-1.5 flex flex-wrap items-baseline gap-x-2">
        <span className="font-[550]">Grant to</span>
        <span className="text-12 text-t3">
          {queue.length === 0 ? 'no waiters' : plural(queue.length, 'waiter')}
        </span>
      </legend>
      {(queue.length >= SEARCHED_FROM || search !== '') && (
        <SearchField
          label="Find a waiter by owner or service"
          value={search}
          onChange={setSearch}
          className="mb-1.5"
        />
      )}
      {queue.length > 0 && found.length === 0 && <p className="text-t2">No waiter matches.</p>}
      {found.length > 0 && (
        <div className="waiter-choice">
          {found.slice(0, SHOWN_MAX).map(({ waiter, place }) => (
            <Waiter
              key={waiter.ticket}
              waiter={waiter}
              place={place}
              waitedMs={Math.max(0, now - waiter.enqueuedAt)}
              whyNot={WHY_NOT[waiterObstacle(side, waiter) ?? 'frozen'] ?? null}
              isChosen={waiter.ticket === ticket}
              onChoose={onChoose}
            />
          ))}
        </div>
      )}
      {hidden > 0 && (
        <p className="mt-1.5 text-12 text-t3">
          {exactCount(hidden)} more: search for the owner to find one.
        </p>
      )}
    </fieldset>
  );
}

function Waiter({
  waiter: { ticket, owner, service, permits },
  place,
  waitedMs,
  whyNot,
  isChosen,
  onChoose,
}: {
  waiter: WaiterRow;
  place: number;
  waitedMs: number;
  whyNot: string | null;
  isChosen: boolean;
  onChoose: (ticket: number) => void;
}) {
  return (
    <label data-disabled={whyNot !== null}>
      <input
        type="radio"
        name="waiter"
        checked={isChosen}
        disabled={whyNot !== null}
        onChange={() => onChoose(ticket)}
      />
      <span className="text-right text-t3">{exactCount(place + 1)}</span>
      <span className="flex min-w-0 items-baseline gap-2">
        <ExactName name={owner} className="text-12" />
        <span className="max-w-2/5 shrink-0 truncate text-12 text-t3">
          {service}
          {permits !== undefined && `, ${plural(permits, 'permit')}`}
        </span>
      </span>
      <span className="text-12 whitespace-nowrap text-t3">
        {whyNot ?? <Duration ms={waitedMs} />}
      </span>
    </label>
  );
}
