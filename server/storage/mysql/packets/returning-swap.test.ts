import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newWriter } from '@/server/engine/new-writer';
import { MINUTE_MS } from '../../../core/time-units';
import {
  type ChangeOverrides,
  created,
  creation,
  eventOf,
  freshKey,
  readOne,
  update,
} from '../../conformance/testing/changes';
import { type StoreUnderTest, storesUnderTest } from '../../conformance/testing/stores-under-test';
import type { Change, RecordKey } from '../../record-store';
import { MysqlConnection } from '../mysql-connection';
import { MysqlStore } from '../mysql-store';
import { judgedSwap } from './judged-swap';
import { returningSwap } from './returning-swap';

/** A busy machine may be slow; what is tested is the answer. */
const PATIENT_MS = 10_000;
const FOREVER = Number.POSITIVE_INFINITY;

let under: StoreUnderTest;
let root: Connection;
/** A store that tests the changes of a packet together, and one by one only if necessary. */
let returning: MysqlStore;
/** A store that tests each change of a packet against its own window. */
let judging: MysqlStore;

beforeAll(async () => {
  under = await storesUnderTest.mysql.open();
  const url = under.database.mysqlUrl ?? '';
  root = await createConnection({ uri: url });
  returning = new MysqlStore(url, { callMaxMs: PATIENT_MS });
  judging = new MysqlStore(url, { callMaxMs: PATIENT_MS, usesReturning: false });
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await returning.close();
  await judging.close();
  await root.end();
  await under.close();
});

const now = async () => (await readOne(returning, freshKey())).now;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Keys in the order in which a packet locks their rows. */
const keysInOrder = (count: number): RecordKey[] =>
  Array.from({ length: count }, () => freshKey()).sort((a, b) => (a.name < b.name ? -1 : 1));

/** A change with an event and an answer, which show whether it was written. */
const withTraces = (key: RecordKey, rev: number): ChangeOverrides => ({
  events: [eventOf(rev)],
  storedAnswers: [
    { key: newWriter() + newWriter(), inputHash: 'hash', answer: key.name, expiresAt: 9e12 },
  ],
});

const updateWith = async (key: RecordKey, parts: ChangeOverrides = {}): Promise<Change> =>
  update(key, await created(judging, key), { ...withTraces(key, 2), head: 'new', ...parts });

const creationWith = (key: RecordKey, parts: ChangeOverrides = {}): Change =>
  creation(key, { ...withTraces(key, 1), head: 'new', ...parts });

/** The result of each change, and what is stored of it. */
async function swapAndLook(store: MysqlStore, changes: Change[]) {
  const end = await judging.historyEnd();
  const results = await store.swap(changes);
  const recorded = (await judging.historyAfter(end, 10)).flatMap((row) => row.changes);
  const storedAnswers = changes.flatMap((change) => change.storedAnswers.map(({ key }) => key));
  const there = await judging.read(
    changes.map(({ key }) => key),
    storedAnswers,
  );
  return changes.map(({ key, writer, storedAnswers: [storedAnswer] }, i) => ({
    applied: results[i]?.applied,
    currentIsOurs: results[i]?.current?.writer === writer,
    currentRev: results[i]?.current?.rev ?? null,
    head: there.records[i]?.record?.head ?? null,
    hasHistory: recorded.some((change) => change.key.name === key.name),
    hasAnswer: there.storedAnswers.some(({ key: kept }) => kept === storedAnswer?.key),
  }));
}

type Case = (keys: RecordKey[], at: number) => Promise<Change[]>;

const CASES: [what: string, changes: Case, applied: boolean[]][] = [
  [
    'one that is too late beside one that is in time',
    async ([a, b], at) => [
      await updateWith(a as RecordKey, { clock: { past: 0, ahead: at } }),
      await updateWith(b as RecordKey, { clock: { past: at, ahead: at + MINUTE_MS } }),
    ],
    [false, true],
  ],
  [
    'one that is too early beside one without a window',
    async ([a, b], at) => [
      await updateWith(a as RecordKey),
      await updateWith(b as RecordKey, { clock: { past: at + MINUTE_MS, ahead: FOREVER } }),
    ],
    [true, false],
  ],
  [
    'windows that never meet',
    async ([a, b], at) => [
      await updateWith(a as RecordKey, { clock: { past: at + 2 * MINUTE_MS, ahead: FOREVER } }),
      await updateWith(b as RecordKey, { clock: { past: 0, ahead: at + MINUTE_MS } }),
    ],
    [false, true],
  ],
  [
    'a creation that is too late, one that is too early and one in time',
    async ([a, b, c], at) => [
      creationWith(a as RecordKey, { clock: { past: 0, ahead: at } }),
      creationWith(b as RecordKey, { clock: { past: at + MINUTE_MS, ahead: FOREVER } }),
      creationWith(c as RecordKey, { clock: { past: at, ahead: at + MINUTE_MS } }),
    ],
    [false, false, true],
  ],
  [
    'one that expects a record that is not there',
    async ([a, b]) => [
      update(a as RecordKey, { rev: 4, writer: newWriter() }, withTraces(a as RecordKey, 5)),
      await updateWith(b as RecordKey),
    ],
    [false, true],
  ],
  [
    'one that expects another writer, one too late, one in time and a creation of what is there',
    async ([a, b, c, d], at) => [
      await updateWith(a as RecordKey, { expect: { rev: 1, writer: newWriter() } }),
      await updateWith(b as RecordKey, { clock: { past: 0, ahead: at } }),
      await updateWith(c as RecordKey),
      { ...(await updateWith(d as RecordKey)), expect: null },
    ],
    [false, false, true, false],
  ],
  [
    'nothing but late ones',
    async ([a, b], at) => [
      await updateWith(a as RecordKey, { clock: { past: 0, ahead: at } }),
      creationWith(b as RecordKey, { clock: { past: 0, ahead: at } }),
    ],
    [false, false],
  ],
  [
    'a single one that is too late',
    async ([a], at) => [await updateWith(a as RecordKey, { clock: { past: 0, ahead: at } })],
    [false],
  ],
];

describe('changes that are evaluated together', () => {
  it.each(CASES)('get the same results as separately: %s', async (_, write, applied) => {
    const at = await now();
    const outcomes = [];
    for (const store of [returning, judging]) {
      const found = await swapAndLook(store, await write(keysInOrder(4), at));
      expect(found.map((one) => one.applied)).toEqual(applied);
      expect(found.map((one) => one.hasHistory)).toEqual(applied);
      expect(found.map((one) => one.hasAnswer)).toEqual(applied);
      expect(found.map((one) => one.currentIsOurs)).toEqual(applied);
      outcomes.push(found);
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
    const [ghosts] = await root.query<RowDataPacket[]>("SELECT id FROM locks WHERE seen <> ''");
    expect(ghosts).toEqual([]);
  });

  it('are applied by one packet if their windows overlap', async () => {
    const at = await now();
    const [a, b, c] = keysInOrder(3) as [RecordKey, RecordKey, RecordKey];
    const changes = [
      await updateWith(a, { clock: { past: at, ahead: at + 2 * MINUTE_MS } }),
      creationWith(b, { clock: { past: at - MINUTE_MS, ahead: at + MINUTE_MS } }),
      creationWith(c),
    ];
    const sent = vi.spyOn(MysqlConnection.prototype, 'exchange');
    const results = await returning.swap(changes);
    expect(results.map(({ applied }) => applied)).toEqual([true, true, true]);
    expect(sent).toHaveBeenCalledTimes(1);
  });
});

describe('a packet that waits for a row', () => {
  /** The changes of two records, the second of which stays locked for 250 ms. */
  const stalled = async (
    store: MysqlStore,
    windows: (at: number) => [first: Change['clock'], second: Change['clock']],
  ) => {
    const [a, b] = keysInOrder(2) as [RecordKey, RecordKey];
    const changes = [await updateWith(a), await updateWith(b)] as const;
    const release = await under.stallRow(b);
    const [first, second] = windows(await now());
    const swap = swapAndLook(store, [
      { ...changes[0], clock: first },
      { ...changes[1], clock: second },
    ]);
    await pause(250);
    await release();
    return (await swap).map(({ applied, head, hasHistory, hasAnswer }) => {
      expect([head === 'new', hasHistory, hasAnswer]).toEqual([applied, applied, applied]);
      return applied;
    });
  };
  const ALWAYS = { past: 0, ahead: FOREVER };

  it('past the window of a change applies the others and not that one', async () => {
    for (const store of [returning, judging]) {
      const windows = (at: number): [Change['clock'], Change['clock']] => [
        ALWAYS,
        { past: 0, ahead: at + 150 },
      ];
      expect(await stalled(store, windows)).toEqual([true, false]);
    }
  });

  it('past the window of a change that was written before the wait does not apply it', async () => {
    const applied = await stalled(returning, (at) => [{ past: 0, ahead: at + 150 }, ALWAYS]);
    expect(applied).toEqual([false, true]);
  });

  it('until the window of a change has begun applies it', async () => {
    const applied = await stalled(returning, (at) => [
      { past: at + 150, ahead: FOREVER },
      { past: 0, ahead: at + MINUTE_MS },
    ]);
    expect(applied).toEqual([true, true]);
  });

  it('finds no record if only it expects one, and lets others create it', async () => {
    for (const store of [returning, judging]) {
      const [absent, kept] = keysInOrder(2) as [RecordKey, RecordKey];
      const change = await updateWith(kept);
      const release = await under.stallRow(kept);
      const swap = store.swap([update(absent, { rev: 3, writer: newWriter() }), change]);
      await pause(150);
      expect((await readOne(judging, absent)).record).toBe(null);
      const fresh = judging.swap([creation(absent, { head: 'fresh' })]);
      await pause(150);
      await release();
      expect((await fresh).map(({ applied }) => applied)).toEqual([true]);
      expect((await swap).map(({ applied }) => applied)).toEqual([false, true]);
      expect((await readOne(judging, absent)).record).toMatchObject({ rev: 1, head: 'fresh' });
    }
  });
});

describe('a swap', () => {
  it('returns the present record to refused changes, if any was applied at once', async () => {
    const [there, other, absent] = keysInOrder(3) as [RecordKey, RecordKey, RecordKey];
    const seen = await created(returning, there, { head: 'it’s there', queue: 'q' });
    const { record } = await readOne(returning, there);
    // A record written within the same millisecond is not returned.
    await pause(5);
    const sent = vi.spyOn(MysqlConnection.prototype, 'exchange');
    const stale = { rev: 1, writer: newWriter() };
    const [lost, took] = await returning.swap([update(there, stale), creation(other)]);
    expect(lost).toMatchObject({ applied: false, current: seen, found: record });
    expect(took).toMatchObject({ applied: true });
    expect(sent).toHaveBeenCalledTimes(1);
    const [alone] = await returning.swap([update(there, stale)]);
    expect(alone).toMatchObject({ applied: false, current: seen, found: record });
    const [none] = await returning.swap([update(absent, stale)]);
    expect(none).toMatchObject({ applied: false, current: null });
  });

  it('that applies nothing writes no history, whatever its connection did earlier', async () => {
    const [there, more, absent] = keysInOrder(3) as [RecordKey, RecordKey, RecordKey];
    const losers: (() => Change[])[] = [
      () => [creationWith(there), creationWith(more)],
      () => [creationWith(there)],
      () => [update(there, { rev: 9, writer: newWriter() }, withTraces(there, 10))],
      () => [update(absent, { rev: 9, writer: newWriter() }, withTraces(absent, 10))],
    ];
    await created(returning, there);
    await created(returning, more);
    for (const write of losers) {
      // One call at a time: all of them use one connection.
      for (const store of [returning, judging]) {
        await created(store, freshKey(), { events: [eventOf(1)] });
        for (const { applied, hasHistory, hasAnswer } of await swapAndLook(store, write())) {
          expect([applied, hasHistory, hasAnswer]).toEqual([false, false, false]);
        }
      }
    }
  });

  it('needs fewer statements with RETURNING than with reading back', async () => {
    const seen = { rev: 1, writer: newWriter() };
    const change = () => update(freshKey(), seen, { events: [eventOf(2)] });
    const counts = [[change()], [change(), change()]].map((changes) => [
      returningSwap(changes).statements.length,
      judgedSwap(changes).statements.length,
    ]);
    expect(counts).toEqual([
      [4, 7],
      [5, 8],
    ]);
  });
});
