import { expect, test } from 'vitest';
import type { BackendHealth } from '@/server/contract/console/backend-health';
import type { LockListMessage } from '@/server/contract/console/lock-list-message';
import type { LockPage, LockRow } from '@/server/contract/console/lock-row';
import { lastAnswerAt } from '../../live/reading-store';
import { listAfter, sharedRows, shownAfter } from './list-after';

const row = (id: string, rev = 1) => ({ id, rev, status: 'held', readAt: 5 }) as LockRow;
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

test('a silent backend that a message omits stays silent, with the time of its last answer', () => {
  const before = page({ backends: [health('quiet', 4_000, false), health('well', 30, true)] });
  const after = listAfter(before, changes({}));
  expect(after.backends.map(({ silentForMs }) => silentForMs)).toEqual([5_500, 30]);
  const reading = { ...after, receivedAt: 0 };
  expect(lastAnswerAt(reading, { backend: 'quiet' })).toBe(46_000);
  const back = listAfter(after, changes({ frame: { backends: [health('quiet', 10, true)] } }));
  expect(back.backends).toEqual([health('quiet', 10, true)]);
});

test('only the shards that do not respond become more silent with time', () => {
  const [quiet, well] = [health('quiet.a', 4_000, false), health('quiet.b', 30, true)];
  const shards = [quiet, well].map((shard) => ({ ...shard, name: shard.id }));
  const before = page({ backends: [{ ...health('quiet', 4_000, false), shards }] });
  const [after] = listAfter(before, changes({})).backends;
  expect(after?.silentForMs).toBe(5_500);
  expect(after?.shards?.map(({ silentForMs }) => silentForMs)).toEqual([5_500, 30]);
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

/** A different value for each part of a row that can change without its rev. */
const otherParts: Required<Omit<LockRow, 'id' | 'namespace' | 'name' | 'rev' | 'readAt'>> = {
  backend: 'other',
  shard: 'other.b',
  status: 'stuck',
  tier: 'actNow',
  stuck: { kind: 'refusals', since: 2_000, limitMs: 1_000, p99Ms: 200 },
  orphaned: { token: 7, since: 2_000, witness: 'probe', evidence: 'It is gone.', dead: 1 },
  hold: { token: 8 } as LockRow['hold'],
  holders: 2,
  permits: { capacity: 3, inUse: 1 },
  frozen: { by: 'ada', reason: 'a move', at: 1_000 },
  delayedUntil: 5_000,
  ended: { owner: 'o', service: 's', token: 6, cause: 'expired', grantedAt: 1, at: 2 },
  waiters: 1,
  oldestWaitAt: 2_000,
  blocked: { callers: 2, sinceSum: 4_000 },
  queueTrend: 3,
  refused: { attempts: 3, owners: 2, areMore: false, lastAt: 3_000 },
  ownHold: { p50Ms: 50, p99Ms: 250, count: 30 },
  namespaceHold: { p50Ms: 60, p99Ms: 260, count: 300 },
  unreadable: 'It is of a later version.',
};

test.each(Object.entries(otherParts))('a row with another %s is the fresh one', (field, value) => {
  const old = lockRow({
    stuck: { kind: 'refusals', since: 1_000, limitMs: 1_000, p99Ms: 100 },
    blocked: { callers: 1, sinceSum: 1_000 },
    refused: { attempts: 1, owners: 1, areMore: false, lastAt: 1_000 },
  });
  const fresh = { ...old, [field]: value };
  expect(sharedRows([old], [fresh])[0]).toBe(fresh);
});

test('a row with another rev, and another lock, is the fresh one', () => {
  const old = lockRow({});
  for (const fresh of [lockRow({ rev: 2 }), lockRow({ id: 'b' })]) {
    expect(sharedRows([old], [fresh])[0]).toBe(fresh);
  }
});

test('a row whose parts are equal stays the same object, and one without a part does not', () => {
  const refused = { attempts: 3, owners: 2, areMore: false, lastAt: 3_000 };
  const old = lockRow({ refused });
  expect(sharedRows([old], [lockRow({ refused: { ...refused } })])[0]).toBe(old);
  const fresh = lockRow({});
  expect(sharedRows([old], [fresh])[0]).toBe(fresh);
});

test("what was refused between the first paint and the stream's first message is shown", () => {
  const refused = { attempts: 1, owners: 1, areMore: false, lastAt: 1_000 };
  const painted = page({ rows: [lockRow({ refused })] });
  const more = { ...refused, attempts: 3, lastAt: 1_200 };
  const whole = page({ rows: [lockRow({ refused: more })] });
  const after = listAfter(painted, { kind: 'whole', page: whole, asOf: whole.asOf });
  expect(after.rows[0]?.refused).toEqual(more);
});

test('a new read time alone counts only for an unknown lock', () => {
  const fresh = lockRow({ status: 'unknown', readAt: 9 });
  expect(sharedRows([lockRow({ status: 'unknown' })], [fresh])[0]).toBe(fresh);
});

test('rows belong to the previous view until the next arrives, and none is carried over', () => {
  const before = { page: page({}), view: '/?view=all' };
  const free = page({ rows: [row('c')] });
  const message = { kind: 'whole', page: free, asOf: free.asOf } as const;
  const after = shownAfter(before, { message, view: '/?view=all&state=free' });
  expect(after.view).toBe('/?view=all&state=free');
  expect(after.page.rows).toEqual([row('c')]);
  const next = shownAfter(after, { message: changes({ rows: [row('c', 2)] }), view: after.view });
  expect(next.page.rows).toEqual([row('c', 2)]);
});
