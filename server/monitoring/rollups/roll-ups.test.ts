import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, type RawSql, type RawStatement, type RunSql, runEach } from '@/db/database';
import { EVENT_KINDS, type LockEvent } from '../../core/lock/lock-event';
import {
  addEvent,
  emptyRollup,
  isRolledUp,
  type MinuteRollup,
  minuteOf,
} from '../../core/statistics/minute-rollup';
import { MINUTE_MS } from '../../core/time-units';
import { newSeed, seeded } from '../../engine/testing/seeded';
import { TestClock } from '../../platform/testing/test-clock';
import { patientStores } from '../../storage/conformance/contract/contract-stores';
import { creation, freshKey, update } from '../../storage/conformance/testing/changes';
import {
  can,
  type StoreName,
  type StoreUnderTest,
  sampledStores,
} from '../../storage/conformance/testing/stores-under-test';
import { recordId } from '../../storage/record-id';
import type { HistoryRow, HistorySource, RecordKey } from '../../storage/record-store';
import { eventsOf } from '../history/bundled-events';
import { EventRecorder } from '../history/recorder/event-recorder';
import { EventTally } from '../metrics/event-tally';
import { shareOf } from './rollup-cursors';
import { ALL_LOCKS, MINUTE_COLUMNS, readRollup } from './rollup-rows';

const START = Date.UTC(2026, 10, 20, 8);

type Random = () => number;

/** One process that opens the history: its own faults, its own tally. */
interface Opening {
  opener: EventRecorder;
  tally: EventTally;
  /** `skip`: how many transactions succeed before that. */
  faults: { next: 'none' | 'before' | 'midway' | 'again' | 'after'; skip?: number };
}

describe.each(sampledStores)('the roll-ups over %s', (name) => {
  let under: StoreUnderTest;
  let clock: TestClock;

  beforeEach(async () => {
    under = await patientStores[name].open();
    clock = new TestClock(START);
  });
  afterEach(() => under.close());

  const begin = (source: HistorySource = under.store): Opening => {
    const faults: Opening['faults'] = { next: 'none' };
    const tally = new EventTally();
    const store = pick(source) as never;
    // The locks of SQLite share a queue with the roll-ups, and those of Redis do not.
    const backend = { id: 'default', history: store, store: under.store };
    const opener = new EventRecorder(unsteady(under.database, faults), backend, clock, tally);
    return { opener, tally, faults };
  };

  const openAll = async ({ opener }: Pick<Opening, 'opener'>) => {
    await opener.record();
    clock.pass(20_000);
    await opener.record();
  };

  it('are the sums of the events, each counted once, despite restarts and crashes', async () => {
    const seed = newSeed();
    console.info(`seed ${seed}`);
    const random = seeded(seed);
    const writer = new HistoryWriter(under, name, random);
    const openings = [begin(), begin()] as [Opening, Opening];
    for (let round = 0; round < 60; round += 1) {
      await writer.write(1 + Math.floor(random() * 5));
      if (random() < 0.2) openings[random() < 0.5 ? 0 : 1] = begin();
      if (random() < 0.2) openings[0].opener.restart();
      const [one, two] = openings;
      one.faults.next = pickOne(random, ['none', 'none', 'before', 'midway', 'again', 'after']);
      clock.pass(Math.floor(random() * 4_000));
      const both = random() < 0.5 ? [one] : [one, two];
      await Promise.all(both.map(({ opener }) => opener.record().catch(() => undefined)));
    }
    await writer.end();
    openings[0].faults.next = 'none';
    clock.pass(6_000);
    for (let i = 0; i < 3; i += 1) for (const each of openings) await openAll(each).catch(() => {});
    expect(await rollupsIn(under.database)).toEqual(expectedOf(writer.events));
    expect(await recordedEvents(under.database)).toBe(writer.events.length);
    expect(await holdsByWeek(under.database)).toEqual(holdsOf(writer.events));
  });

  it('of a busy minute are one row per lock, updated as events arrive', async () => {
    const opening = begin();
    const keys = [freshKey(), freshKey()];
    for (let round = 0; round < 10; round += 1) {
      await swap(under, keys, round, (rev) => [granted(rev, START + round * 1_000)]);
      await opening.opener.record();
      clock.pass(1_100);
    }
    await openAll(opening);
    const rollups = await rollupsIn(under.database);
    expect(rollups).toHaveLength(3);
    expect(rollups.map(({ grants }) => grants).sort()).toEqual([10, 10, 20]);
  });

  it('of some hundred locks are written with few statements', async () => {
    const events = [granted(1, START), held(1, START)];
    const changes = Array.from({ length: 150 }, () => ({ key: freshKey(), rev: 1, events }));
    const source = inMemory([{ id: 1, at: START, changes }]);
    const { database, statements } = observed(under.database);
    const backend = { id: 'default', history: source, store: under.store };
    const opener = new EventRecorder(database, backend, clock, new EventTally());
    await openAll({ opener });
    expect(await rollupsIn(under.database)).toHaveLength(151);
    expect(statements.filter((sql) => /lock_(minutes|weeks)/.test(sql))).toHaveLength(4);
  });

  it('and events are complete, however many at once, even if transactions repeat', async () => {
    const opening = begin();
    const count = 2_700;
    const many = (rev: number) => Array.from({ length: count }, () => granted(rev, START));
    for (let round = 0; round < 2; round += 1) {
      opening.faults.next = 'again';
      await swap(under, [freshKey()], 0, many);
      await opening.opener.record();
      opening.faults.next = 'again';
      clock.pass(20_000);
      await opening.opener.record();
    }
    expect(await recordedEvents(under.database)).toBe(2 * count);
    const grants = (await rollupsIn(under.database)).map((rollup) => rollup.grants);
    expect(grants.sort((a, b) => a - b)).toEqual([count, count, 2 * count]);
  });

  it('of many locks are written in parts, each counted once even if interrupted', async () => {
    const seed = newSeed();
    console.info(`seed ${seed}`);
    const random = seeded(seed);
    const keys = Array.from({ length: 1_200 }, () => freshKey());
    const history: HistoryRow[] = [];
    let last = begin();
    for (let round = 0; round < 3; round += 1) {
      const at = START + round * MINUTE_MS;
      const changes = keys.map((key) => ({ key, rev: round + 1, events: [held(round + 1, at)] }));
      history.push({ id: round + 1, at, changes });
      last = begin(inMemory(history));
      last.faults.next = pickOne(random, ['before', 'midway', 'after']);
      last.faults.skip = 8 + Math.floor(random() * 60);
      await last.opener.record().catch(() => undefined);
      clock.pass(20_000);
      await last.opener.record().catch(() => undefined);
    }
    last = begin(inMemory(history));
    await openAll(last);
    const events = history.flatMap(({ changes }) =>
      changes.flatMap(({ key, events: some }) =>
        some.map((event) => ({ key, event: event as LockEvent })),
      ),
    );
    expect(await rollupsIn(under.database)).toEqual(expectedOf(events));
    expect(await holdsByWeek(under.database)).toEqual(holdsOf(events));
  });

  it('count nothing twice if a process dies with some locks further than others', async () => {
    const share = shareOf(recordId({ namespace: 'default', name: 'first' })).share;
    const names = Array.from({ length: 20_000 }, (_, i) => ({
      namespace: 'default',
      name: `n${i}`,
    }));
    const isTogether = (key: RecordKey) => shareOf(recordId(key)).share === share;
    const [together, elsewhere] = [names.filter(isTogether), names.find((key) => !isTogether(key))];
    const history = Array.from({ length: 300 }, (_, i): HistoryRow => {
      const [id, at] = [i + 1, START + i];
      const keys = id === 280 ? together : [together[0], elsewhere];
      const changes = keys.flatMap((key) =>
        key ? [{ key, rev: id, events: [held(id, at)] }] : [],
      );
      return { id, at, changes };
    });
    await begin(inMemory(history)).opener.record();
    const heir = begin({
      ...inMemory(history),
      async historyAfter(position, limit) {
        clock.pass(2_000);
        return history.filter(({ id }) => id > position).slice(0, limit);
      },
    });
    await heir.opener.record();
    await openAll(heir);
    const events = history.flatMap(({ changes }) =>
      changes.map(({ key, events: [event] }) => ({ key, event: event as LockEvent })),
    );
    expect(await rollupsIn(under.database)).toEqual(expectedOf(events));
    expect(await holdsByWeek(under.database)).toEqual(holdsOf(events));
  });

  it('update the tally of a process with what it has written, and nothing twice', async () => {
    const [one, two] = [begin(), begin()];
    await swap(under, [freshKey()], 0, (rev) => [granted(rev, START, 70)]);
    await openAll(one);
    one.faults.next = 'midway';
    await swap(under, [freshKey('other')], 0, (rev) => [granted(rev, START, 5)]);
    await one.opener.record().catch(() => undefined);
    clock.pass(20_000);
    await one.opener.record().catch(() => undefined);
    await openAll(two);
    const counted = [one, two].flatMap(({ tally }) =>
      [...tally.entries()].map(([namespace, { grants, waits }]) => [
        namespace,
        grants,
        waits.sumMs,
      ]),
    );
    expect(counted.sort()).toEqual([
      ['default', 1, 70],
      ['other', 1, 5],
    ]);
  });

  it('are kept for 60 days, events and weeks for 30', async () => {
    const opening = begin();
    const day = 24 * 60 * MINUTE_MS;
    const times = [START - 61 * day, START - 59 * day, START - 29 * day, START];
    for (const at of times) {
      await swap(under, [freshKey()], 0, (rev) => [{ ...granted(rev, at), kind: 'released' }]);
    }
    await openAll(opening);
    expect(await rollupsIn(under.database)).toHaveLength(8);
    await opening.opener.prune();
    const left = await rollupsIn(under.database);
    expect([...new Set(left.map(({ minute }) => minute))]).toEqual(times.slice(1));
    const { lockEvents, lockWeeks } = under.database.tables;
    expect(await under.database.db.$count(lockEvents)).toBe(2);
    expect(await under.database.db.$count(lockWeeks)).toBe(2);
  });

  it('keep only an hour of the raw history, however far ahead its clock was', async () => {
    // The store's clock is: it shows the present.
    const opening = begin();
    const commit = () => swap(under, [freshKey()], 0, (rev) => [granted(rev, START)]);
    const idsLeft = async () => (await under.store.historyAfter(0, 10)).map(({ id }) => id);
    for (let i = 0; i < 3; i += 1) await commit();
    const early = await idsLeft();
    await openAll(opening);
    await opening.opener.prune();
    clock.pass(50 * MINUTE_MS);
    await commit();
    await openAll(opening);
    await opening.opener.prune();
    expect(await idsLeft()).toHaveLength(early.length + 1);
    clock.pass(10 * MINUTE_MS);
    await opening.opener.prune();
    expect(await idsLeft()).toEqual([expect.any(Number)]);
    expect(early).not.toContain((await idsLeft())[0]);
  });

  it('keep the raw history that has not been added to them yet', async () => {
    clock = new TestClock(Date.now());
    const opening = begin();
    await swap(under, [freshKey()], 0, (rev) => [granted(rev, START)]);
    clock.pass(2 * 60 * MINUTE_MS);
    await opening.opener.record();
    await opening.opener.prune();
    const heir = begin();
    await openAll(heir);
    expect((await rollupsIn(under.database)).map(({ grants }) => grants)).toEqual([1, 1]);
  });
});

/** Writes random histories: on a store with gaps, now and then behind one. */
class HistoryWriter {
  readonly events: { key: RecordKey; event: LockEvent }[] = [];
  private readonly keys = Array.from({ length: 12 }, (_, i) => freshKey(i < 6 ? 'default' : 'b'));
  private readonly seen = new Map<string, { rev: number; writer: string }>();
  private closeGap: ((becomesVisible: boolean) => Promise<void>) | null = null;

  constructor(
    private readonly under: StoreUnderTest,
    private readonly store: StoreName,
    private readonly random: Random,
  ) {}

  async write(flushes: number): Promise<void> {
    const { random } = this;
    if (can(this.store, 'youngGaps') && !this.closeGap && random() < 0.1) {
      this.closeGap = await this.under.openGap();
    } else if (this.closeGap && random() < 0.3) await this.end();
    for (let i = 0; i < flushes; i += 1) {
      const keys = this.keys.filter(() => random() < 0.3);
      const changes = keys.map((key) => {
        const before = this.seen.get(recordId(key));
        const rev = (before?.rev ?? 0) + 1;
        const events = Array.from({ length: Math.floor(random() * 4) }, () => this.event(rev));
        this.events.push(...events.map((event) => ({ key, event })));
        const change = before ? update(key, before, { events }) : creation(key, { events });
        this.seen.set(recordId(key), change);
        return change;
      });
      if (changes.length > 0) await this.under.store.swap(changes);
    }
  }

  async end(): Promise<void> {
    await this.closeGap?.(false);
    this.closeGap = null;
  }

  private event(rev: number): LockEvent {
    const { random } = this;
    const at = START + Math.floor(random() * 4 * MINUTE_MS);
    const party = { service: 'orders', owner: 'o', token: rev };
    const durations = { waitedMs: Math.floor(random() * 900), heldMs: Math.floor(random() * 9e5) };
    return { kind: pickOne(random, EVENT_KINDS), at, rev, ...party, ...durations };
  }
}

const pickOne = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T;

const granted = (rev: number, at: number, waitedMs = 0): LockEvent => ({
  kind: 'granted',
  at,
  rev,
  service: 'orders',
  owner: 'o',
  token: rev,
  waitedMs,
});

const held = (rev: number, at: number): LockEvent => ({
  ...granted(rev, at),
  kind: 'released',
  heldMs: 50,
});

const inMemory = (history: HistoryRow[]): HistorySource => ({
  historyAfter: async (position) => history.filter(({ id }) => id > position),
  historyOf: async () => [],
  historyEnd: async () => history.length,
  pruneHistory: async () => 0,
});

async function swap(
  { store }: StoreUnderTest,
  keys: RecordKey[],
  before: number,
  events: (rev: number) => LockEvent[],
): Promise<void> {
  const { records } = await store.read(keys, []);
  const rev = before + 1;
  await store.swap(
    keys.map((key, i) => {
      const seen = records[i]?.record;
      const parts = { events: events(rev) };
      return seen ? update(key, seen, parts) : creation(key, parts);
    }),
  );
}

/** Only the history, so that an opener cannot read anything else of a store. */
const pick = (source: HistorySource): HistorySource => ({
  historyAfter: (...args) => source.historyAfter(...args),
  historyOf: (...args) => source.historyOf(...args),
  historyEnd: () => source.historyEnd(),
  pruneHistory: (...args) => source.pruneHistory(...args),
});

/** A database, and the statements of its transactions. */
function observed(database: Database): { database: Database; statements: string[] } {
  const statements: string[] = [];
  const raw: RawSql = {
    ...database.raw,
    transaction: (work) =>
      database.raw.transaction((ask) =>
        work((sql, values) => {
          statements.push(sql);
          return ask(sql, values);
        }),
      ),
  };
  return { database: Object.create(database, { raw: { value: raw } }), statements };
}

/**
 * A database whose next transaction fails: before it begins, in its middle, or after it was
 * committed; or is rolled back at its end and run `again`, as after a deadlock.
 */
function unsteady(database: Database, faults: Opening['faults']): Database {
  const nextFault = () => {
    faults.skip = (faults.skip ?? 0) - 1;
    const fault = faults.skip < 0 ? faults.next : 'none';
    if (faults.skip < 0) faults.next = 'none';
    if (fault === 'before') throw new Error('Not now.');
    return fault;
  };
  const raw: RawSql = {
    ask: database.raw.ask,
    async batch(statements, isAside) {
      const fault = nextFault();
      if (fault === 'again') await rolledBack(database.raw, (ask) => runEach(ask, statements));
      const [first = FAILING, ...others] = statements;
      const all = fault === 'midway' ? [first, FAILING] : [first, ...others];
      await database.raw.batch(all, isAside);
      if (fault === 'after') throw new Error('No answer to the commit.');
    },
    async transaction(work) {
      const fault = nextFault();
      if (fault === 'again') await rolledBack(database.raw, work);
      const answer = await database.raw.transaction((ask) =>
        work(fault === 'midway' ? failingAfter(ask, 1) : ask),
      );
      if (fault === 'after') throw new Error('No answer to the commit.');
      return answer;
    },
  };
  return Object.create(database, { raw: { value: raw } });
}

const FAILING: RawStatement = { sql: 'DELETE FROM no_such_table', values: [] };

async function rolledBack(raw: RawSql, work: (ask: RunSql) => Promise<unknown>): Promise<void> {
  const deadlock = new Error('Rolled back.');
  const attempt = raw.transaction(async (ask) => {
    await work(ask);
    throw deadlock;
  });
  await expect(attempt).rejects.toBe(deadlock);
}

function failingAfter(ask: RunSql, statements: number): RunSql {
  let left = statements;
  return (...args) => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error('Not now.')) : ask(...args);
  };
}

type PlainRollup = ReturnType<typeof plain>;

const plain = (lockId: string, { waits, holds, ...counts }: MinuteRollup) => ({
  lockId,
  ...counts,
  waits: waits.encode(),
  holds: holds.encode(),
});

const inOrder = (rollups: PlainRollup[]) =>
  rollups.sort((a, b) => a.minute - b.minute || (a.lockId < b.lockId ? -1 : 1));

/** How many events are recorded, however many share a row. */
async function recordedEvents({ raw }: Database): Promise<number> {
  const { rows } = await raw.ask('SELECT body FROM lock_events', []);
  return rows.reduce((sum, [body]) => sum + eventsOf([0, 0, body]).length, 0);
}

async function rollupsIn({ raw }: Database): Promise<PlainRollup[]> {
  const sql = `SELECT lock_id, minute, ${MINUTE_COLUMNS} FROM lock_minutes`;
  const { rows } = await raw.ask(sql, []);
  return inOrder(
    rows.map(([lockId, minute, ...columns]) =>
      plain(String(lockId), readRollup(Number(minute), columns)),
    ),
  );
}

function expectedOf(events: { key: RecordKey; event: LockEvent }[]): PlainRollup[] {
  const found = new Map<string, { lockId: string; rollup: MinuteRollup }>();
  for (const { key, event } of events.filter((each) => isRolledUp(each.event))) {
    for (const lockId of [recordId(key), ALL_LOCKS]) {
      const minute = minuteOf(event);
      const id = `${minute} ${lockId}`;
      const kept = found.get(id) ?? { lockId, rollup: emptyRollup(minute) };
      found.set(id, kept);
      addEvent(kept.rollup, event);
    }
  }
  return inOrder([...found.values()].map(({ lockId, rollup }) => plain(lockId, rollup)));
}

async function holdsByWeek({ raw }: Database): Promise<Record<string, string>> {
  const { rows } = await raw.ask('SELECT lock_id, holds FROM lock_weeks', []);
  return Object.fromEntries(rows.map(([lockId, holds]) => [String(lockId), String(holds)]));
}

/** All events of a campaign are of one week. Holds that an operator ended do not count. */
function holdsOf(events: { key: RecordKey; event: LockEvent }[]): Record<string, string> {
  const sums = new Map<string, MinuteRollup>();
  for (const { key, event } of events.filter((each) => each.event.kind !== 'forced')) {
    const sum = sums.get(recordId(key)) ?? emptyRollup(0);
    sums.set(recordId(key), sum);
    addEvent(sum, event);
  }
  const texts = [...sums].map(([lockId, { holds }]) => [lockId, holds.encode()] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}
