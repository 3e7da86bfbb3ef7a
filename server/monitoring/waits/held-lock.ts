import type { HeldLock, ProcessWait } from '../../contract/console/waits/holder-rows';
import { hasRoom } from '../../core/lock/expire-and-promote';
import type { Hold, LockRecord, Waiter } from '../../core/lock/lock-record';
import { inServiceOrder, patienceEndsAt } from '../../core/lock/queue';
import type { OpenWait } from '../../core/waits/wait-state';
import { keeperOf } from '../projection/monitored-backend';
import type { ProjectionRow } from '../projection/projection-row';

const HOLDERS_SHOWN = 3;

/** A lock as the page of one of its holders shows it. */
export function heldLock(
  row: ProjectionRow,
  hold: Hold,
  { status, delayMs }: Pick<HeldLock, 'status' | 'delayMs'>,
): HeldLock {
  const { key, record, waiters, oldestWaitAt } = row;
  const { owner, token, mode, permits, grantedAt, leaseMs, renewedAt, renewals, expiresAt } = hold;
  const next = servedAfter(record, hold);
  return {
    namespace: key.namespace,
    name: key.name,
    ...keeperOf(row),
    status,
    rev: record.rev,
    owner,
    token,
    mode,
    ...(permits === undefined ? {} : { permits }),
    grantedAt,
    leaseMs,
    renewedAt,
    renewals,
    expiresAt,
    waiters,
    oldestWaitAt,
    next: next && {
      owner: next.owner,
      service: next.service,
      ...(next.setSize === undefined ? {} : { setSize: next.setSize }),
    },
    sharedWith: record.holds.length - 1,
    isFrozen: record.frozen !== null,
    delayMs,
    ...(hold.set ? { setSize: hold.set.size } : {}),
    ...(hold.traceparent === undefined ? {} : { traceparent: hold.traceparent }),
  };
}

/** The first waiter, if it can be granted the lock once this hold has ended. */
function servedAfter(record: LockRecord, hold: Hold): Waiter | null {
  const [first] = inServiceOrder(record.queue);
  const holds = record.holds.filter(({ token }) => token !== hold.token);
  return first && hasRoom({ ...record, holds, offers: [] }, first) ? first : null;
}

/** A wait as the page of its process shows it. */
export function processWait(
  { lock, waiter, party }: OpenWait,
  row: ProjectionRow | null,
): ProcessWait {
  const { mode, enqueuedAt } = waiter;
  return {
    namespace: row?.key.namespace ?? '',
    name: row?.key.name ?? '',
    ...(row ? keeperOf(row) : { backend: '' }),
    owner: party.owner,
    mode,
    enqueuedAt,
    patienceUntil: patienceEndsAt(waiter),
    place: lock.queue.findIndex((wait) => wait.waiter === waiter) + 1,
    waiting: lock.queue.length,
    holders: lock.holds.slice(0, HOLDERS_SHOWN).map((held) => held.party.owner),
  };
}
