import type { HeldLock, ProcessWait } from '../../contract/console/waits/holder-rows';
import type { Hold } from '../../core/lock/lock-record';
import { inServiceOrder } from '../../core/lock/queue';
import type { OpenWait } from '../../core/waits/wait-state';
import type { ProjectionRow } from '../projection/projection-row';

const HOLDERS_SHOWN = 3;

/** A lock as the page of one of its holders shows it. */
export function heldLock(row: ProjectionRow, hold: Hold, status: HeldLock['status']): HeldLock {
  const { key, publicBackend, record, waiters, oldestWaitAt } = row;
  const { owner, token, mode, permits, grantedAt, leaseMs, renewedAt, renewals, expiresAt } = hold;
  const [first] = inServiceOrder(record.queue);
  return {
    namespace: key.namespace,
    name: key.name,
    backend: publicBackend,
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
    next: first
      ? {
          owner: first.owner,
          service: first.service,
          ...(first.setSize === undefined ? {} : { setSize: first.setSize }),
        }
      : null,
    sharedWith: record.holds.length - 1,
    isFrozen: record.frozen !== null,
    ...(hold.set ? { setSize: hold.set.size } : {}),
    ...(hold.traceparent === undefined ? {} : { traceparent: hold.traceparent }),
  };
}

/** A wait as the page of its process shows it. */
export function processWait(
  { lock, waiter, party }: OpenWait,
  row: ProjectionRow | null,
): ProcessWait {
  const { mode, enqueuedAt, patienceMs } = waiter;
  return {
    namespace: row?.key.namespace ?? '',
    name: row?.key.name ?? '',
    backend: row?.publicBackend ?? '',
    owner: party.owner,
    mode,
    enqueuedAt,
    patienceUntil: enqueuedAt + patienceMs,
    place: lock.queue.findIndex((wait) => wait.waiter === waiter) + 1,
    waiting: lock.queue.length,
    holders: lock.holds.slice(0, HOLDERS_SHOWN).map((held) => held.party.owner),
  };
}
