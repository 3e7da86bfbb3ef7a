import { expect, it } from 'vitest';
import type { HoldRow, LockRow } from '@/server/contract/console/lock-row';
import { effectSeenIn } from './action-effect';

const hold = (part: Partial<HoldRow>): HoldRow => ({
  token: 42,
  mode: 'exclusive',
  service: 'billing',
  owner: 'b1',
  holdCount: 1,
  leaseMs: 10_000,
  grantedAt: 1_180,
  renewedAt: 1_180,
  renewals: 0,
  expiresAt: 11_180,
  waitedMs: 0,
  meta: {},
  askedToRelease: null,
  renewalsStopped: null,
  ...part,
});

const ended = (token: number): LockRow['ended'] => ({
  owner: 'a1',
  service: 'orders',
  token,
  cause: 'forced',
  grantedAt: 0,
  at: 1_000,
});

const offered = { kind: 'offered', owner: 'b1', service: 'billing', token: null } as const;

it('an offer becomes a grant once its waiter holds the lock, with the time since the end', () => {
  const act = { kind: 'reassigned', token: 41, next: offered } as const;
  expect(effectSeenIn(act, { hold: null, ended: ended(41) })).toBeNull();
  expect(effectSeenIn(act, { hold: hold({ token: 41 }), ended: null })).toBeNull();
  const granted = { kind: 'granted', token: 42, owner: 'b1' };
  const seen = { hold: hold({}), ended: ended(41) };
  expect(effectSeenIn(act, seen)).toEqual({ ...granted, afterMs: 180 });
  expect(effectSeenIn(act, { ...seen, ended: ended(7) })).toEqual({ ...granted, afterMs: null });
  expect(effectSeenIn(act, { ...seen, hold: hold({ owner: 'c1' }) })).toBeNull();
});

it('a release without a next holder is watched until the next grant', () => {
  const act = { kind: 'forced', token: 41, next: { kind: 'nobody' } } as const;
  expect(effectSeenIn(act, { hold: hold({}), ended: ended(41) })).toMatchObject({ afterMs: 180 });
  expect(effectSeenIn(act, { hold: hold({}), ended: ended(42) })).toBeNull();
});

it('a request is delivered when its holder has renewed since', () => {
  const act = { kind: 'asked', token: 42 } as const;
  const askedToRelease = { by: 'ada', reason: 'a deploy waits', at: 2_000 };
  const before = hold({ askedToRelease, renewedAt: 1_900 });
  expect(effectSeenIn(act, { hold: before, ended: null })).toBeNull();
  const after = hold({ askedToRelease, renewedAt: 2_600 });
  expect(effectSeenIn(act, { hold: after, ended: null })).toEqual({ kind: 'delivered', at: 2_600 });
  expect(effectSeenIn({ ...act, kind: 'stopped' }, { hold: after, ended: null })).toBeNull();
});
