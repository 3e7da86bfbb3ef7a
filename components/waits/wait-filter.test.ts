import { expect, test } from 'vitest';
import type {
  DeadlockRow,
  GraphLock,
  HeadBlockerRow,
  WaitGraph,
} from '@/server/contract/console/waits/wait-graph';
import {
  filterChoices,
  listedWaits,
  matchingDeadlocks,
  matchingHeads,
  matchingWaits,
  readWaitFilter,
} from './wait-filter';

const NOW = 1_000_000;

const lock = (
  name: string,
  backend: string,
  holder: number,
  waiters: [owner: number, agoMs: number][],
): GraphLock => ({
  id: name,
  namespace: name.split(':')[0] ?? '',
  name,
  backend,
  status: 'contended',
  holders: [{ owner: holder, token: 1, mode: 'exclusive', grantedAt: 0, expiresAt: 0 }],
  waiters: waiters.map(([owner, agoMs], ticket) => {
    return { owner, ticket, mode: 'exclusive', enqueuedAt: NOW - agoMs, patienceUntil: 0 };
  }),
  waiting: waiters.length,
});

const head = (owner: number, locks: number[]) =>
  ({ owners: [owner], deadlock: null, locks }) as unknown as HeadBlockerRow;

/** Owner 0 keeps 1 waiting, who keeps 2 waiting on another backend; 3 keeps 4. */
const graph = {
  heads: [head(0, [0]), head(3, [2])],
  owners: [],
  locks: [
    lock('shop:a', 'mysql', 0, [[1, 40_000]]),
    lock('mail:b', 'redis', 1, [[2, 5_000]]),
    lock('shop:c', 'mysql', 3, [
      [4, 12_000],
      [5, 2_000],
    ]),
  ],
  asOf: NOW,
  backends: [],
} as unknown as WaitGraph;

const filterOf = (query: string) => readWaitFilter(new URLSearchParams(query));
const namesOf = (query: string) =>
  matchingWaits(graph, filterOf(query)).locks.flatMap(({ name, waiters }) =>
    waiters.map(({ owner }) => `${name} ${owner}`),
  );
const headsOf = (query: string) =>
  matchingHeads(graph, filterOf(query)).heads.map(({ owners }) => owners[0]);

test('the age of a wait is by the clock of the shard that its lock is on', () => {
  const shards = [{ id: 'mysql.a', clockOffsetMs: -9_000 }];
  const backends = [{ id: 'mysql', clockOffsetMs: 60_000, shards }];
  const [first, ...others] = graph.locks as [GraphLock];
  const locks = [{ ...first, shard: 'mysql.a' }, ...others];
  const sharded = { ...graph, locks, backends } as unknown as WaitGraph;
  const waits = matchingWaits(sharded, filterOf('backend=mysql&over=30000')).locks;
  expect(waits.map(({ waiters }) => waiters.length)).toEqual([1, 0, 2]);
  expect(matchingWaits(sharded, filterOf('over=60000')).locks[0]?.waiters).toEqual([]);
});

test('waits are shown by namespace, backend and age', () => {
  expect(namesOf('')).toHaveLength(4);
  expect(namesOf('namespace=mail')).toEqual(['mail:b 2']);
  expect(namesOf('backend=mysql&over=10000')).toEqual(['shop:a 1', 'shop:c 4']);
  expect(namesOf('over=300000')).toEqual([]);
});

test('a head blocker is shown for a matching wait anywhere behind it', () => {
  expect(headsOf('')).toEqual([0, 3]);
  expect(headsOf('backend=redis')).toEqual([0]);
  expect(headsOf('namespace=shop')).toEqual([0, 3]);
  expect(headsOf('namespace=shop&over=30000')).toEqual([0]);
});

test('the head blocker of a wait is found through waits that the filter leaves out', () => {
  const rootsOf = (query: string) =>
    listedWaits(graph, filterOf(query)).map(({ lock, roots }) => [lock.name, ...roots]);
  expect(rootsOf('namespace=mail')).toEqual([['mail:b', 0]]);
  expect(rootsOf('')).toContainEqual(['mail:b', 0]);
});

test('past deadlocks are shown by namespace and backend of a wait, and by duration', () => {
  const deadlock = (id: string, endedAt: number | null, steps: [string, string][]) =>
    ({
      id,
      since: NOW - 40_000,
      endedAt,
      steps: steps.map(([namespace, backend]) => ({ namespace, backend })),
    }) as DeadlockRow;
  const rows = [
    deadlock('open', null, [
      ['shop', 'mysql'],
      ['mail', 'redis'],
    ]),
    deadlock('short', NOW - 35_000, [['shop', 'mysql']]),
  ];
  const idsOf = (query: string) =>
    matchingDeadlocks(rows, filterOf(query), NOW).map(({ id }) => id);
  expect(idsOf('')).toEqual(['open', 'short']);
  expect(idsOf('namespace=mail')).toEqual(['open']);
  expect(idsOf('backend=mysql')).toEqual(['open', 'short']);
  expect(idsOf('namespace=shop&backend=redis')).toEqual([]);
  expect(idsOf('over=30000')).toEqual(['open']);
});

test('an address with another age is read as without one', () => {
  expect(filterOf('over=7')).toEqual({ namespace: null, backend: null, overMs: 0 });
});

test('the filters offer the namespaces and backends that have waits', () => {
  expect(filterChoices(graph)).toEqual({
    namespaces: ['mail', 'shop'],
    backends: ['mysql', 'redis'],
  });
});
