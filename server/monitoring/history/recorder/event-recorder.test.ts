import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import type { LockEvent } from '../../../core/lock/lock-event';
import { DAY_MS } from '../../../core/time-units';
import { TestClock } from '../../../platform/testing/test-clock';
import type { HistoryRow } from '../../../storage/record-store';
import { recordedPosition } from '../../../storage/recorded-position';
import { EventTally } from '../../metrics/event-tally';
import { MemoryHistory } from '../../testing/memory-history';
import { BUNDLE_MS } from '../bundled-events';
import { EventHistory } from '../event-history';
import { EventReaders } from '../event-readers';
import { EventRecorder } from './event-recorder';

const LOOK_MS = 40;

/** A store in which a caller commits again whenever the history is read, which takes a while. */
class BusyHistory extends MemoryHistory {
  constructor(private readonly clock: TestClock) {
    super();
  }

  override historyAfter(position: number, limit: number): Promise<HistoryRow[]> {
    this.commit();
    this.clock.pass(LOOK_MS);
    return super.historyAfter(position, limit);
  }

  private commit(): void {
    const id = this.rows.length + 1;
    const at = this.clock.now();
    const event: LockEvent = { kind: 'renewed', at, rev: id, service: 's', owner: 'o', token: 1 };
    const key = { namespace: 'default', name: 'busy' };
    this.rows.push({ id, at, changes: [{ key, rev: id, events: [event] }] });
  }
}

/** A store to which a test adds commits, each of hundreds of locks. */
class RushHour extends MemoryHistory {
  constructor(private readonly clock: TestClock) {
    super();
  }

  /**
   * One event of each lock.
   *
   * @param shift ids that are not visible yet
   * @param aheadMs how far the clock of the store is ahead
   */
  commit(locks: number, shift = 0, aheadMs = 0): void {
    const id = (this.rows.at(-1)?.id ?? 0) + 1 + shift;
    const at = this.clock.now() + aheadMs;
    const event: LockEvent = { kind: 'renewed', at, rev: id, service: 's', owner: 'o', token: 1 };
    const changes = Array.from({ length: locks }, (_, i) => {
      return { key: { namespace: 'default', name: `lock-${i}` }, rev: id, events: [event] };
    });
    this.rows.push({ id, at, changes });
  }
}

/** A database for a process that pauses once it has taken over from the former recorder. */
function stalledAfterTakeOver(database: Database): { stalled: Database; resume: () => void } {
  const { raw } = database;
  let resume = () => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const stalledRaw: Database['raw'] = {
    ask: (...args) => resumed.then(() => raw.ask(...args)),
    transaction: (work) => resumed.then(() => raw.transaction(work)),
    batch: (...args) => resumed.then(() => raw.batch(...args)),
  };
  return { stalled: Object.create(database, { raw: { value: stalledRaw } }), resume };
}

const LOCK = { namespace: 'default', name: 'lock-0' };

/** More locks than the number of changes that are always recorded immediately. */
const MANY = 700;
const EVERY_MS = 300;

describe('an event recorder', () => {
  let database: Database;

  beforeEach(async () => {
    database = await openTestDatabase('sqlite');
  });

  afterEach(() => database.close());

  it('is not behind while commits arrive, and leaves later ones to the next run', async () => {
    const clock = new TestClock();
    const history = new BusyHistory(clock);
    const recorder = new EventRecorder(database, { id: 'b', history }, clock, new EventTally());
    const recorded = async () => {
      const page = { namespace: 'default', name: 'busy', limit: 10 };
      const { rows } = await new EventHistory(database).list(page);
      return rows.map(({ rev }) => rev);
    };
    for (const revs of [[1], [2, 1], [3, 2, 1]]) {
      await recorder.record();
      expect(await recorded()).toEqual(revs);
      expect(recorder.lagMs()).toBe(LOOK_MS);
    }
  });

  it('skips a commit that is unreadable, and says so once', async () => {
    const clock = new TestClock();
    const history = new RushHour(clock);
    const log = { warn: vi.fn() };
    const recorder = new EventRecorder(
      database,
      { id: 'b', history, log, engine: { health: () => ({ clockOffsetMs: 0 }) } },
      clock,
      new EventTally(),
    );
    history.rows.push({ id: 1, at: 0, changes: [], isUnreadable: true });
    history.commit(1);
    for (let run = 0; run < 3; run += 1) {
      recorder.restart();
      await recorder.record();
    }
    const { rows } = await new EventHistory(database).list({ ...LOCK, limit: 10 });
    expect(rows.map(({ rev }) => rev)).toEqual([2]);
    expect(await recordedPosition(database, 'b')).toBe(2);
    expect([recorder.unreadableCommits, recorder.lagMs()]).toEqual([1, 0]);
    expect(log.warn.mock.calls).toEqual([[{ store: 'b', ids: [1] }, expect.any(String)]]);
  });

  it('is as far behind as the oldest event that the previous process left unrecorded', async () => {
    const clock = new TestClock();
    const history = new RushHour(clock);
    const health = () => ({ clockOffsetMs: 5_000 });
    const backend = { id: 'b', history, engine: { health } };
    const recorder = new EventRecorder(database, backend, clock, new EventTally());
    history.commit(1, 0, 5_000);
    clock.pass(10 * 60_000);
    recorder.restart();
    const fails = vi.spyOn(database.raw, 'batch').mockRejectedValue(new Error('Gone.'));
    await expect(recorder.record()).rejects.toThrow('Gone.');
    expect(recorder.lagMs()).toBe(10 * 60_000);
    clock.pass(1_000);
    await expect(recorder.record()).rejects.toThrow('Gone.');
    expect(recorder.lagMs()).toBe(10 * 60_000 + 1_000);
    fails.mockRestore();
    await recorder.record();
    expect(recorder.lagMs()).toBe(0);
  });

  it('removes nothing that its successor has recorded, however late it continues', async () => {
    const clock = new TestClock();
    const history = new RushHour(clock);
    const recorderOver = (over: Database) =>
      new EventRecorder(over, { id: 'b', history }, clock, new EventTally());
    const { stalled, resume } = stalledAfterTakeOver(database);
    history.commit(3);
    const late = recorderOver(stalled).record();
    await recorderOver(database).record();
    resume();
    await expect(late).rejects.toThrow();
    const { rows } = await new EventHistory(database).list({ ...LOCK, limit: 10 });
    expect(rows.map(({ rev }) => rev)).toEqual([1]);
  });

  it.each([
    ['of its process', 40 * DAY_MS, -40 * DAY_MS],
    ['of its backend', 0, 40 * DAY_MS],
  ])(
    'removes no young event because the clock %s was set far ahead',
    async (_, hereMs, offsetMs) => {
      const clock = new TestClock();
      const history = new RushHour(clock);
      let clockOffsetMs = 0;
      const health = () => ({ clockOffsetMs });
      const backend = { id: 'b', history, engine: { health } };
      const recorder = new EventRecorder(database, backend, clock, new EventTally());
      const ages = async () => {
        const { rows } = await new EventHistory(database).list({ ...LOCK, limit: 10 });
        return rows.map(({ rev }) => rev);
      };
      history.commit(1);
      clock.pass(20 * DAY_MS);
      history.commit(1);
      await recorder.record();
      clock.pass(hereMs);
      clockOffsetMs = offsetMs;
      await recorder.prune();
      expect(await ages()).toEqual([2, 1]);
      clock.pass(11 * DAY_MS);
      await recorder.prune();
      expect(await ages()).toEqual([2]);
    },
  );

  describe('that receives thousands of events a second', () => {
    let clock: TestClock;
    let history: RushHour;
    let readers: EventReaders;
    let recorder: EventRecorder;
    beforeEach(() => {
      clock = new TestClock();
      history = new RushHour(clock);
      readers = new EventReaders(database, clock);
      recorder = recorderOf(readers);
    });

    const recorderOf = (seen: EventReaders) =>
      new EventRecorder(database, { id: 'b', history }, clock, new EventTally(), undefined, seen);

    const rowsOf = async (lock: number) =>
      Number(
        (
          await database.raw.ask('SELECT COUNT(*) FROM lock_events WHERE lock_id = ?', [
            `default/lock-${lock}`,
          ])
        ).rows[0]?.[0],
      );

    const positions = async (ids: string) => {
      const sql = `SELECT id, position FROM cursors WHERE id IN (${ids})`;
      const { rows } = await database.raw.ask(sql, []);
      return Object.fromEntries(rows.map(([id, position]) => [id, Number(position)]));
    };
    const cursors = () => positions("'opened/b', 'ahead/b'");

    /** The revs of a lock's events, oldest first. */
    const revsOf = async (lock: number) => {
      const page = { namespace: 'default', name: `lock-${lock}`, limit: 100 };
      const { rows } = await new EventHistory(database).list(page);
      return rows.map(({ rev }) => rev).reverse();
    };

    const rush = async (rounds: number, by = recorder) => {
      for (let i = 0; i < rounds; i += 1) {
        history.commit(MANY);
        await by.record();
        clock.pass(EVERY_MS);
      }
    };

    it('collects them for at most 10 s, so that those of a lock share few rows', async () => {
      await rush(1);
      expect(await rowsOf(0)).toBe(0);
      const rounds = Math.ceil(BUNDLE_MS / EVERY_MS);
      await rush(rounds);
      expect(await revsOf(5)).toEqual(history.rows.map(({ id }) => id));
      expect(await rowsOf(5)).toBe(Math.ceil((rounds + 1) / 16));
      expect(recorder.lagMs()).toBe(EVERY_MS);
      await rush(20);
      expect(recorder.lagMs()).toBeLessThanOrEqual(BUNDLE_MS);
    });

    it('writes what it has collected as soon as fewer arrive', async () => {
      await rush(5);
      expect(await rowsOf(0)).toBe(0);
      await recorder.record();
      expect(await revsOf(0)).toEqual([1, 2, 3, 4, 5]);
      expect(await rowsOf(0)).toBe(1);
    });

    it('records at once while events are read, in this process or another', async () => {
      await rush(3);
      readers.note();
      // The cursor is written in the background; until then it looks like that of another process.
      await expect.poll(() => positions("'events-read'")).toEqual({ 'events-read': 1 });
      await rush(1);
      expect(await revsOf(0)).toEqual([1, 2, 3, 4]);
      clock.pass(30_000);
      await rush(1);
      await rush(3);
      const written = (await revsOf(0)).length;
      expect(written).toBeLessThan(8);
      const elsewhere = new EventReaders(database, clock);
      elsewhere.note();
      await expect
        .poll(async () => {
          // The clock does not move: old events would be written in any case.
          history.commit(MANY);
          await recorder.record();
          return (await revsOf(0)).length === history.rows.length;
        })
        .toBe(true);
    });

    it('is never further behind than its collecting time, at any load', async () => {
      recorder.restart();
      for (let i = 0; i < 80; i += 1) {
        for (let commit = 0; commit < 300; commit += 1) history.commit(3);
        await recorder.record();
        expect(recorder.lagMs()).toBeLessThanOrEqual(BUNDLE_MS + EVERY_MS);
        clock.pass(EVERY_MS);
      }
    });

    it('writes little at a time after a failed write, until one succeeds', async () => {
      await rush(2);
      const fails = vi.spyOn(database.raw, 'batch').mockRejectedValueOnce(new Error('Gone.'));
      await expect(recorder.record()).rejects.toThrow('Gone.');
      fails.mockRestore();
      await rush(1);
      expect(await revsOf(0)).toEqual([1, 2, 3]);
      await rush(1);
      expect(await revsOf(0)).toEqual([1, 2, 3]);
    });

    it('loses no collected event when it ends, and records none twice', async () => {
      await rush(4);
      const successor = recorderOf(new EventReaders(database, clock));
      await rush(2, successor);
      await successor.record();
      await expect(recorder.record()).resolves.toBeUndefined();
      history.commit(1);
      await successor.record();
      expect(await revsOf(0)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(await revsOf(1)).toEqual([1, 2, 3, 4, 5, 6]);
    });

    it('collects across a gap in the ids, and records those after it when due', async () => {
      await rush(2);
      history.commit(MANY, 1);
      await recorder.record();
      await recorder.record();
      expect(await revsOf(3)).toEqual([1, 2, 4]);
      expect(await cursors()).toEqual({ 'opened/b': 2, 'ahead/b': 4 });
      expect(await recordedPosition(database, 'b')).toBe(4);
      const late = { ...(history.rows[0] as HistoryRow), id: 3 };
      late.changes = late.changes.map((change) => ({ ...change, rev: 3, events: [lateEvent] }));
      history.rows.splice(2, 0, late);
      await recorder.record();
      await recorder.record();
      expect(await revsOf(3)).toEqual([1, 2, 3, 4]);
    });
  });
});

const lateEvent: LockEvent = {
  ...{ kind: 'renewed', at: Date.UTC(2026, 0, 1), rev: 3, service: 's', owner: 'o', token: 1 },
};
