import { describe, expect, it } from 'vitest';
import { LOCK_DELAY_MAX_MS } from '../../contract/namespace-policy';
import type { LockRecord } from '../../core/lock/lock-record';
import { acquire } from '../../core/testing/lock-requests';
import { LockWorld } from '../../core/testing/lock-world';
import { HOUR_MS } from '../../core/time-units';
import { decodeRecord, encodeRecord } from '../codec/record-codec';
import { longestLeaseFound, recoveredRecord } from './recovered-record';

const key = { namespace: 'default', name: 'job' };

const stored = (record: LockRecord) => {
  const { head, queue } = encodeRecord(record, null);
  return { rev: record.rev, writer: 'writer', head, queue: queue ?? '' };
};

/** A lock that is held for an hour, and the clock. */
function heldLock(): { record: LockRecord; now: number } {
  const world = new LockWorld();
  world.run(acquire('orders/a', { leaseMs: HOUR_MS }));
  return { record: world.record as LockRecord, now: world.now };
}

/** Until when the lock is delayed after the recovery of this record. */
function delayedUntil(record: LockRecord, now: number, longestLeaseMs: number): number {
  const restoration = { epoch: 2, now, grantsFrom: now + 30_000, longestLeaseMs };
  const [change] = recoveredRecord(key, stored(record), restoration);
  if (!change) throw new Error('The record was not recovered.');
  const { rev, writer, head, queue } = change;
  return decodeRecord({ rev, writer, head, queue: queue ?? '' }).record.delayedUntil;
}

describe('the delay of a lock after a data loss', () => {
  it('lasts as long as a hold whose lease was recorded', () => {
    const { record, now } = heldLock();
    const longest = longestLeaseFound([{ key, record: stored(record) }]);
    expect(longest).toBe(HOUR_MS);
    expect(delayedUntil(record, now, longest)).toBe(now + HOUR_MS);
    const recoveredOnce = { ...record, holds: [], delayedUntil: now + HOUR_MS };
    expect(delayedUntil(recoveredOnce, now + 1_000, longest)).toBe(now + HOUR_MS);
  });

  it('lasts no longer than a hold or a lock-delay can where the clock was set back', () => {
    const { record, now } = heldLock();
    expect(delayedUntil(record, now - 9 * HOUR_MS, HOUR_MS)).toBe(now - 8 * HOUR_MS);
    const delayed = { ...record, holds: [], delayedUntil: now + 9 * HOUR_MS };
    expect(delayedUntil(delayed, now, 30_000)).toBe(now + LOCK_DELAY_MAX_MS);
    expect(delayedUntil({ ...delayed, delayedUntil: now + 60_000 }, now, 0)).toBe(now + 60_000);
  });
});
