import { expect, test } from 'vitest';
import type { BackendHealth } from '@/server/contract/console/backend-health';
import type { LockListMessage } from '@/server/contract/console/lock-list-message';
import type { LockPage, LockRow } from '@/server/contract/console/lock-row';
import { lastAnswerAt } from '../../live/reading-store';
import { listAfter, sharedRows } from './list-after';

const row = (id: string, rev = 1) => ({ id, rev, status: 'held' }) as LockRow;
const health = (id: string, silentForMs: number, reachable: boolean) =>
  ({ id, reachable, silentForMs, clockOffsetMs: 0 }) as BackendHealth;
const page = (part: Partial<LockPage>) =>
  ({ rows: [row('a'), row('b')], offset: 0, backends: [], asOf: 50_000, ...part }) as LockPage;
const changes = (part: object): LockListMessage => ({
  kind: 'changes',
  rows: [],
  offset: 0,
  frame: {},
  asOf: 51_500,
  ...part,
});

test('rows that have not changed stay the same objects, after changes and after the whole', () => {
  const before = page({});
  const changed = listAfter(before, changes({ rows: [row('b', 2)] }));
  expect(changed.rows[0]).toBe(before.rows[0]);
  expect(changed.rows[1]).toEqual(row('b', 2));
  const whole = page({ rows: [row('b', 2), row('a')] });
  const after = listAfter(changed, { kind: 'whole', page: whole, asOf: whole.asOf });
  expect(after.rows).toEqual(whole.rows);
  expect(after.rows[0]).toBe(changed.rows[1]);
});

test('a silent backend that the message leaves out stays silent, and its last answer does not move', () => {
  const before = page({ backends: [health('quiet', 4_000, false), health('well', 30, true)] });
  const after = listAfter(before, changes({}));
  expect(after.backends.map(({ silentForMs }) => silentForMs)).toEqual([5_500, 30]);
  const reading = { ...after, receivedAt: 0 };
  expect(lastAnswerAt(reading, 'quiet')).toBe(46_000);
  const back = listAfter(after, changes({ frame: { backends: [health('quiet', 10, true)] } }));
  expect(back.backends).toEqual([health('quiet', 10, true)]);
});

const lockRow = (part: Partial<LockRow>): LockRow => ({
  id: 'a',
  namespace: 'n',
  name: 'a',
  backend: 'default',
  rev: 1,
  status: 'held',
  hold: null,
  holders: 0,
  stuck: null,
  frozen: null,
  delayedUntil: 0,
  ended: null,
  waiters: 0,
  oldestWaitAt: null,
  ownHold: null,
  readAt: 5,
  ...part,
});

test('a row that has not changed stays the same object', () => {
  const old = lockRow({});
  expect(sharedRows([old], [lockRow({ readAt: 9 })])[0]).toBe(old);
});

test('a row that has changed is the fresh one', () => {
  const old = lockRow({});
  for (const part of [{ rev: 2 }, { status: 'contended' as const }, { waiters: 1 }, { id: 'b' }]) {
    const fresh = lockRow(part);
    expect(sharedRows([old], [fresh])[0]).toBe(fresh);
  }
});

test('a new read time alone counts only for an unknown lock', () => {
  const fresh = lockRow({ status: 'unknown', readAt: 9 });
  expect(sharedRows([lockRow({ status: 'unknown' })], [fresh])[0]).toBe(fresh);
});
