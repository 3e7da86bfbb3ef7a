import { expect, test } from 'vitest';
import type { HoldRow, LockRow } from '@/server/contract/console/lock-row';
import type { StoreObstacle } from '../live/reading-store';
import { actObstacle, type LockAct } from './possible-acts';

const ACTS: LockAct[] = ['request', 'extend', 'release', 'reassign', 'freeze'];

/** Why each act is not possible on a lock with two waiters. */
const obstacles = (
  row: Partial<LockRow>,
  hold: Partial<HoldRow> | null = {},
  atStore: StoreObstacle | null = null,
) => {
  const facts = { status: 'held', waiters: 2, frozen: null, ...row } as LockRow;
  return Object.fromEntries(
    ACTS.map((act) => [act, actObstacle({ ...facts, hold: hold as HoldRow | null }, act, atStore)]),
  );
};

const possible = { request: null, extend: null, release: null, reassign: null, freeze: null };

test('a lock of unknown state allows no action, whatever its last state was', () => {
  const all = Object.values(obstacles({ status: 'unknown' }));
  expect(all).toEqual(ACTS.map(() => 'state unknown'));
});

test('a lock that can be read although its store rejects all else allows no action', () => {
  for (const atStore of [
    'backend rejects requests',
    'backend is disabled on this server',
  ] as const) {
    expect(Object.values(obstacles({}, {}, atStore))).toEqual(ACTS.map(() => atStore));
  }
});

test('a dead process is sent no request; its hold can be extended or released', () => {
  const acts = { ...possible, request: 'process is dead' };
  expect(obstacles({}, { liveness: { state: 'dead' } } as Partial<HoldRow>)).toEqual(acts);
  // The rows of the list have no evidence beside their state.
  expect(obstacles({ status: 'orphaned' })).toEqual(acts);
  const other = { liveness: { state: 'alive' } } as Partial<HoldRow>;
  expect(obstacles({ status: 'orphaned' }, other)).toEqual(possible);
});

test('a hold that its holder has released can be neither requested nor extended', () => {
  expect(obstacles({}, { releasedAt: 5 } as Partial<HoldRow>)).toEqual({
    ...possible,
    ...{ request: 'already released', extend: 'already released' },
  });
});

test('a lock without a holder can only be frozen', () => {
  const unheld = { request: 'not held', extend: 'not held', release: 'not held' };
  expect(obstacles({ status: 'free' }, null)).toEqual({
    ...possible,
    ...{ ...unheld, reassign: 'not held' },
  });
  expect(obstacles({})).toEqual(possible);
});

test('a lock is reassigned only to one of its waiters, and not while it is frozen', () => {
  expect(obstacles({ waiters: 0 })).toEqual({ ...possible, reassign: 'no waiters' });
  const frozen = { by: 'demo', reason: '', at: 1 } as unknown as LockRow['frozen'];
  expect(obstacles({ frozen })).toEqual({ ...possible, reassign: 'not while frozen' });
});
