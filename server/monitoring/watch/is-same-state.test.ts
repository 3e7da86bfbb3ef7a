import { describe, expect, it } from 'vitest';
import { type LockRecord, unwrittenRecord } from '../../core/lock/lock-record';
import { ProjectionRow } from '../projection/projection-row';
import { isSameState } from './is-same-state';

const NOW = 1_800_000_000_000;

const HOLD: LockRecord['holds'][number] = {
  token: 7,
  mode: 'exclusive',
  service: 'orders',
  owner: 'w1',
  count: 1,
  leaseMs: 30_000,
  grantedAt: NOW,
  renewedAt: NOW,
  renewals: 0,
  expiresAt: NOW + 30_000,
  waitedMs: 0,
  rev: 1,
  meta: {},
  requests: [],
  requestsKeptUntil: 0,
  askedToRelease: null,
  renewalsStopped: null,
};

const row = (record: Partial<LockRecord>) => {
  const all = { ...unwrittenRecord(NOW), ...record };
  const source = { id: 'default', publicId: 'default' };
  return ProjectionRow.of(source, { namespace: 'default', name: 'a' }, NOW, all);
};

const held = (more: object = {}) => row({ holds: [{ ...HOLD, ...more }] });

describe('callers that watch a lock are', () => {
  it.each([
    ['a renewal', { expiresAt: NOW + 60_000, renewedAt: NOW + 1, renewals: 1 }],
    ['a request to release', { askedToRelease: { by: 'ana', reason: 'why', at: NOW } }],
  ])('not woken by %s', (_, more) => {
    expect(isSameState(held(), held(more))).toBe(true);
  });

  it.each([
    ['another holder', held(), held({ token: 8, owner: 'w2' })],
    ['another entry of the owner', held(), held({ count: 2 })],
    ['a release before its time', held(), held({ releasedAt: NOW })],
    ['whatever else a hold comes to have', held(), held({ permits: 2 })],
    ['whatever else a record comes to have', row({}), row({ capacity: { now: 3 } } as object)],
    ['the end of a hold', held(), row({})],
    ['a freeze', row({}), row({ frozen: { by: 'ana', reason: 'why', at: NOW } })],
    ['a lock delay', row({}), row({ delayedUntil: NOW + 1_000 })],
    ['the first hold of a lock', null, held()],
  ])('woken by %s', (_, before, after) => {
    expect(isSameState(before, after)).toBe(false);
    expect(isSameState(after, before)).toBe(false);
  });

  it('woken by a lock delay that was over when another waiter took the place of one', () => {
    const delayed = row({ delayedUntil: NOW + 1_000 });
    const over = ProjectionRow.of(
      { id: 'default', publicId: 'default' },
      delayed.key,
      NOW + 2_000,
      delayed.record,
    );
    expect(isSameState(delayed, over)).toBe(false);
  });

  it('not woken when a record of a free lock comes or goes', () => {
    expect(isSameState(null, row({}))).toBe(true);
    expect(isSameState(row({}), null)).toBe(true);
  });
});
