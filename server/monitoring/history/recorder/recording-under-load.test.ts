import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database, RawSql } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import type { LockEvent } from '../../../core/lock/lock-event';
import { newSeed, seeded } from '../../../engine/testing/seeded';
import { TestClock } from '../../../platform/testing/test-clock';
import type { HistoryRow } from '../../../storage/record-store';
import { EventTally } from '../../metrics/event-tally';
import { ALL_LOCKS, MINUTE_COLUMNS, readRollup } from '../../rollups/rollup-rows';
import { MemoryHistory } from '../../testing/memory-history';
import { BUNDLE_MS } from '../bundled-events';
import { EventHistory } from '../event-history';
import { EventRecorder } from './event-recorder';

/** More changes than are always recorded immediately. */
const MANY = 700;

/** Commits of one lock each, of which 200 are read at a time. */
const SMALL = 20_000;

const ROUNDS = process.env.TEST_LONG === '1' ? 30 : 15;

/** A pause of 250 ms has more turns of the event loop than this, also on a busy machine. */
const TURNS_WITHOUT_PAUSE = 100;

/** Roll-ups of many locks are written after this time. */
const ROLL_UPS_DUE_MS = 15_000;

/** Many events are collected as long as none are read. */
const NO_READERS = { areActive: async () => false };

/** A store to which a test adds commits of many locks each. */
class BusyStore extends MemoryHistory {
  /** The last commit that was read. */
  readTo = 0;
  /** Called during the next reading. */
  during: () => unknown = () => undefined;

  constructor(private readonly clock: TestClock) {
    super();
  }

  /** One hold of each lock ends. @param first the number of the first one */
  commit(locks: number, owner = 'o', first = 0): void {
    const id = this.rows.length + 1;
    const at = this.clock.now();
    const whose = { service: 's', owner, token: 1 };
    const event: LockEvent = { kind: 'released', at, rev: id, ...whose, heldMs: id };
    const changes = Array.from({ length: locks }, (_, i) => {
      return { key: { namespace: 'default', name: `lock-${first + i}` }, rev: id, events: [event] };
    });
    this.rows.push({ id, at, changes });
  }

  override async historyAfter(position: number, limit: number): Promise<HistoryRow[]> {
    await this.during();
    const rows = await super.historyAfter(position, limit);
    this.readTo = rows.at(-1)?.id ?? this.readTo;
    return rows;
  }
}

/** Counts the turns of the event loop between two calls of what `listen` is given. */
function turnsBetween(listen: (note: () => void) => void) {
  const counts: number[] = [];
  let [turns, isOver] = [0, false];
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  listen(() => {
    counts.push(turns);
    turns = 0;
  });
  return {
    /** The counts so far, smallest first. */
    end() {
      isOver = true;
      listen(() => undefined);
      return counts.toSorted((a, b) => a - b);
    },
  };
}

const WRITE_KINDS = ['events', 'roll-ups'] as const;
type WriteKind = (typeof WRITE_KINDS)[number];

/** A database whose writes can be delayed, or fail. */
function obstructed(database: Database) {
  const gate = { mayFail: (_: WriteKind) => false };
  let open = () => {};
  let opened = Promise.resolve();
  let held: readonly WriteKind[] = [];
  const pass = async (kind: WriteKind) => {
    if (held.includes(kind)) await opened;
    if (gate.mayFail(kind)) throw new Error('Not now.');
  };
  const raw: RawSql = {
    ask: database.raw.ask,
    async batch(statements, isAside) {
      const isOfEvents = statements.some(({ sql }) => sql.startsWith('INSERT INTO lock_events'));
      await pass(isOfEvents ? 'events' : 'roll-ups');
      return database.raw.batch(statements, isAside);
    },
    async transaction(work) {
      await pass('roll-ups');
      return database.raw.transaction(work);
    },
  };
  return {
    database: Object.create(database, { raw: { value: raw } }) as Database,
    gate,
    hold(kinds: readonly WriteKind[] = WRITE_KINDS) {
      held = kinds;
      opened = new Promise((resolve) => {
        open = resolve;
      });
    },
    release: () => open(),
  };
}

describe('a recorder whose writes take long', () => {
  let database: Database;
  let clock: TestClock;
  let store: BusyStore;

  beforeEach(async () => {
    database = await openTestDatabase('sqlite');
    clock = new TestClock();
    store = new BusyStore(clock);
  });
  afterEach(() => database.close());

  const recorderIn = (of: Database, sharesWith: { isEmbedded: boolean } | null = null) =>
    new EventRecorder(
      ...([of, { id: 'b', history: store, store: sharesWith }, clock, new EventTally()] as const),
      undefined,
      NO_READERS,
    );

  /** One commit is read, and then what is collected is due. */
  const recordFirst = async (recorder: EventRecorder, dueMs: number) => {
    store.commit(MANY);
    await recorder.record();
    clock.pass(dueMs);
  };

  /** A call may leave what it has read to the next one, until it is due. */
  const recordRest = async (recorder: EventRecorder) => {
    for (let i = 0; i < 3; i += 1) {
      await recorder.record();
      clock.pass(ROLL_UPS_DUE_MS);
    }
  };

  const revsOf = async (lock: number) => {
    const page = { namespace: 'default', name: `lock-${lock}`, limit: 1_000 };
    const { rows } = await new EventHistory(database).list(page);
    return rows.map(({ rev }) => rev).reverse();
  };
  const allRevs = () => store.rows.map(({ id }) => id);

  /** How many holds the roll-ups have of each lock, and of all together. */
  const holdCounts = async () => {
    const sql = `SELECT lock_id, minute, ${MINUTE_COLUMNS} FROM lock_minutes`;
    const { rows } = await database.raw.ask(sql, []);
    const counts = new Map<string, number>();
    for (const [lockId, minute, ...columns] of rows) {
      const { count } = readRollup(Number(minute), columns).holds;
      counts.set(String(lockId), count + (counts.get(String(lockId)) ?? 0));
    }
    return counts;
  };

  /** The counts that `holdCounts` returns once everything committed is counted. */
  const allCounts = () => {
    const commits = store.rows.length;
    const locks = Array.from({ length: MANY }, (_, i) => [`default/lock-${i}`, commits] as const);
    return new Map<string, number>([...locks, [ALL_LOCKS, MANY * commits]]);
  };

  it('keeps reading and counting meanwhile, so that no commit waits for a write', async () => {
    const slow = obstructed(database);
    const recorder = recorderIn(slow.database);
    await recordFirst(recorder, ROLL_UPS_DUE_MS);
    slow.hold();
    store.commit(MANY);
    const recorded = recorder.record();
    for (let i = 0; i < 3; i += 1) {
      store.commit(MANY);
      await expect.poll(() => store.readTo).toBe(store.rows.length);
    }
    expect(await revsOf(0)).toEqual([]);
    expect(await holdCounts()).toEqual(new Map());
    slow.release();
    await recorded;
    await recordRest(recorder);
    expect(await revsOf(0)).toEqual(allRevs());
    expect(await revsOf(MANY - 1)).toEqual(allRevs());
    expect(await holdCounts()).toEqual(allCounts());
  });

  it('keeps reading and counting thousands of small commits without a pause', async () => {
    const slow = obstructed(database);
    const recorder = recorderIn(slow.database);
    await recordFirst(recorder, BUNDLE_MS);
    slow.hold(['events']);
    store.commit(MANY);
    const recorded = recorder.record();
    await expect.poll(() => store.readTo).toBe(2);
    // More rows of roll-ups than are counted without a write, and more commits than 50 rounds read.
    for (let i = 0; i < SMALL; i += 1) store.commit(1, 'o', MANY + i);
    const readings = turnsBetween((note) => {
      store.during = note;
    });
    await expect.poll(() => store.readTo, { timeout: 100_000 }).toBe(SMALL + 2);
    const turns = readings.end();
    expect(turns[Math.floor(turns.length / 2)]).toBeLessThan(TURNS_WITHOUT_PAUSE);
    slow.release();
    await recorded;
    store.commit(MANY);
    await recordRest(recorder);
    expect(await revsOf(MANY - 1)).toEqual([1, 2, SMALL + 3]);
    const counts = await holdCounts();
    expect(counts.get(ALL_LOCKS)).toBe(3 * MANY + SMALL);
    expect(counts.size).toBe(1 + MANY + SMALL);
  });

  it.each(WRITE_KINDS)(
    'notices that %s are not written while it reads, and writes them all',
    async (failing) => {
      const slow = obstructed(database);
      const recorder = recorderIn(slow.database);
      await recordFirst(recorder, ROLL_UPS_DUE_MS);
      slow.hold();
      slow.gate.mayFail = (kind) => {
        if (kind !== failing) return false;
        slow.gate.mayFail = () => false;
        return true;
      };
      store.commit(MANY);
      const recorded = recorder.record();
      await expect.poll(() => store.readTo).toBe(2);
      store.during = async () => {
        slow.release();
        await sleep(20);
      };
      store.commit(MANY);
      await expect(recorded).rejects.toThrow('Not now.');
      store.during = () => undefined;
      await recordRest(recorder);
      expect(await revsOf(0)).toEqual(allRevs());
      expect(await holdCounts()).toEqual(allCounts());
    },
  );

  it('counts only what is written as recorded, not what was read meanwhile', async () => {
    const slow = obstructed(database);
    const recorder = recorderIn(slow.database);
    recorder.restart();
    await recordFirst(recorder, BUNDLE_MS);
    slow.hold();
    store.commit(MANY);
    const recorded = recorder.record();
    await expect.poll(() => store.readTo).toBe(2);
    const inWriteAt = clock.monotonic();
    clock.pass(4_000);
    store.commit(MANY);
    await expect.poll(() => store.readTo).toBe(3);
    slow.release();
    await recorded;
    expect(await revsOf(0)).toEqual([1, 2]);
    expect(recorder.lagMs()).toBe(clock.monotonic() - inWriteAt);
  });

  it('reads no more than its limit, and loses nothing of the rest', async () => {
    const slow = obstructed(database);
    const recorder = recorderIn(slow.database);
    const owner = 'o'.repeat(2_000);
    await recordFirst(recorder, BUNDLE_MS);
    slow.hold();
    store.commit(MANY, owner);
    const recorded = recorder.record();
    await expect.poll(() => store.readTo).toBe(2);
    for (let i = 0; i < 20; i += 1) store.commit(MANY, owner);
    await expect.poll(() => store.readTo).toBe(22);
    for (let i = 0; i < 5; i += 1) store.commit(MANY, owner);
    await sleep(600);
    expect(store.readTo).toBe(22);
    slow.release();
    await recorded;
    await recordRest(recorder);
    expect(await revsOf(3)).toEqual(allRevs());
  });

  it('writes all that it has read although the store fails, and then lacks it', async () => {
    const recorder = recorderIn(database);
    await recordFirst(recorder, 0);
    store.commit(MANY);
    await recorder.record();
    const [revs, counts] = [allRevs(), allCounts()];
    expect(await revsOf(0)).toEqual([]);
    clock.pass(4_000);
    store.during = () => {
      throw new Error('The store is down.');
    };
    await expect(recorder.record()).rejects.toThrow('The store is down.');
    expect(await revsOf(0)).toEqual(revs);
    expect(recorder.lagMs()).toBe(4_000);
    store.during = () => undefined;
    store.rows.length = 0;
    await recordRest(recorder);
    expect(await revsOf(MANY - 1)).toEqual(revs);
    expect(await holdCounts()).toEqual(counts);
  });

  it('writes what is due even if it has to restart every few seconds', async () => {
    const recorder = recorderIn(database);
    const begun = async (passMs: number) => {
      recorder.restart();
      store.commit(MANY);
      await recorder.record();
      clock.pass(passMs);
    };
    for (let passed = 0; passed <= ROLL_UPS_DUE_MS; passed += 3_000) await begun(3_000);
    expect((await revsOf(0)).length).toBeGreaterThan(0);
    expect((await holdCounts()).size).toBe(1 + MANY);
    await begun(BUNDLE_MS);
    await begun(0);
    expect(await revsOf(0)).toEqual(allRevs());
  });

  it.each([true, false])(
    'records events even while roll-ups cannot be written, embedded: %s',
    async (isEmbedded) => {
      const refuse = "BEGIN SELECT RAISE(ABORT, 'The disk is full.'); END";
      await database.raw.ask(`CREATE TRIGGER no BEFORE INSERT ON lock_minutes ${refuse}`, []);
      const recorder = recorderIn(database, { isEmbedded });
      let failures = 0;
      for (let call = 0; call < 20; call += 1) {
        store.commit(1);
        await recorder.record().catch(() => {
          failures += 1;
        });
        clock.pass(300);
      }
      expect(failures).toBeGreaterThan(1);
      expect((await revsOf(0)).length).toBeGreaterThan(15);
    },
  );

  it('records and counts everything once, although writes fail and others take over', async () => {
    const seed = newSeed();
    console.info(`seed ${seed}`);
    const random = seeded(seed);
    const slow = obstructed(database);
    slow.gate.mayFail = () => random() < 0.02;
    store.during = () => (random() < 0.5 ? sleep(random() * 50) : undefined);
    let recorders = [recorderIn(slow.database)];
    for (let round = 0; round < ROUNDS; round += 1) {
      if (random() < 0.15) recorders = [recorderIn(slow.database), ...recorders].slice(0, 2);
      if (random() < 0.1) recorders[0]?.restart();
      if (random() < 0.6) slow.hold();
      store.commit(MANY);
      const runs = recorders.map((each) => each.record().catch(() => undefined));
      const over = Promise.all(runs);
      // Often long enough for a recorder to read again meanwhile.
      for (let more = Math.floor(random() * 3); more > 0; more -= 1) {
        store.commit(MANY);
        await Promise.race([over, sleep(random() * 600)]);
      }
      slow.release();
      await over;
      clock.pass(random() * 20_000);
    }
    slow.gate.mayFail = () => false;
    await recordRest(recorderIn(slow.database));
    for (const lock of [0, 1, 350, MANY - 1]) expect(await revsOf(lock)).toEqual(allRevs());
    expect(await holdCounts()).toEqual(allCounts());
  });
});
