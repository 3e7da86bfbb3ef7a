import { expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { DEADLOCKS_MAX, type DeadlockRow } from '../../contract/console/waits/wait-graph';
import { DEFAULT_RETENTION } from '../../core/retention';
import { DeadlockHistory } from './deadlock-history';
import type { DeadlockNews } from './wait-watch';

const NOTHING: DeadlockNews = { found: [], ended: [] };

const DEADLOCK: DeadlockRow = {
  ...{ id: 'p-q', since: 1_000, foundAt: 1_500, waiting: 2 },
  ...{ endedAt: null, end: null, by: null },
  steps: [{ service: 'pay', owner: 'p', namespace: 'default', name: 'a', backend: 'default' }],
};

/** A process that runs maintenance, with the waits that it has seen. */
class Process {
  now = 100_000;
  news = NOTHING;
  seen: DeadlockRow[] = [];
  isRunner = true;
  readonly history: DeadlockHistory;

  constructor(database: Database) {
    this.history = new DeadlockHistory({
      database,
      clock: { now: () => this.now, monotonic: () => this.now },
      log: { warn: () => undefined },
      watch: { examine: () => this.news, rows: () => this.seen },
      isRunner: () => this.isRunner,
    });
  }

  async pass(ms: number, news = NOTHING): Promise<(number | null)[]> {
    this.now += ms;
    this.news = news;
    await this.history.run();
    this.news = NOTHING;
    return (await this.history.list(10)).map(({ endedAt }) => endedAt);
  }
}

it('a deadlock stays open over a restart, and reopens if it was not seen for a while', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const before = new Process(database);
    expect(await before.pass(0, { ...NOTHING, found: [DEADLOCK] })).toEqual([null]);
    // It has not read the locks yet, and sees no waits.
    const after = new Process(database);
    expect(await after.pass(0)).toEqual([null]);
    const unseenAt = after.now + 31_000;
    expect(await after.pass(31_000)).toEqual([unseenAt]);
    after.seen = [DEADLOCK];
    expect(await after.pass(0, { ...NOTHING, found: [DEADLOCK] })).toEqual([null]);
    const ended = { id: DEADLOCK.id, endedAt: 200_000, end: 'forced', by: 'ada' } as const;
    after.seen = [];
    expect(await after.pass(0, { ...NOTHING, ended: [ended] })).toEqual([200_000]);
    expect(await after.pass(31_000, { ...NOTHING, found: [DEADLOCK] })).toEqual([200_000]);
  } finally {
    await database.close();
  }
});

it('a deadlock that outlasts the history is counted once, not at every check', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const process = new Process(database);
    process.now = DEADLOCK.foundAt + DEFAULT_RETENTION.historyMs + 60_000;
    process.seen = [DEADLOCK];
    await process.pass(0, { ...NOTHING, found: [DEADLOCK] });
    for (let checks = 0; checks < 3; checks += 1) await process.pass(31_000);
    expect(process.history.written).toBe(1);
    process.isRunner = false;
    await process.pass(31_000);
    process.isRunner = true;
    await process.pass(31_000);
    await process.pass(31_000);
    expect(process.history.written).toBe(2);
  } finally {
    await database.close();
  }
});

it('of more deadlocks than are kept, each is counted once', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const process = new Process(database);
    process.seen = Array.from({ length: DEADLOCKS_MAX + 5 }, (_, i) => ({
      ...DEADLOCK,
      id: `p-${i}`,
      foundAt: 1_500 + i,
    }));
    await process.pass(0);
    await process.pass(31_000);
    await process.pass(31_000);
    expect(process.history.written).toBe(DEADLOCKS_MAX + 5);
  } finally {
    await database.close();
  }
});

it('a deadlock that ended while no process ran maintenance has the end others saw', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    await new Process(database).pass(0, { ...NOTHING, found: [DEADLOCK] });
    const other = new Process(database);
    other.isRunner = false;
    const endedAt = other.now + 1_000;
    const ended = { id: DEADLOCK.id, endedAt, end: 'forced', by: 'ada' } as const;
    await other.pass(1_000, { ...NOTHING, ended: [ended] });
    await other.pass(5_000);
    other.isRunner = true;
    await other.pass(1_000);
    await other.pass(31_000);
    expect(await other.history.list(1)).toMatchObject([{ endedAt, end: 'forced', by: 'ada' }]);
  } finally {
    await database.close();
  }
});

it.each(TEST_DIALECTS)(
  'a new deadlock is kept and listed first after the clock was set back, in %s',
  async (dialect) => {
    const database = await openTestDatabase(dialect);
    try {
      const process = new Process(database);
      const { deadlocks } = database.tables;
      const { end: _, by: __, endedAt: ___, steps, ...found } = DEADLOCK;
      const former = Array.from({ length: DEADLOCKS_MAX }, (_, i) => ({
        ...{ ...found, id: `former-${i}`, foundAt: 3_600_000 + i, steps: JSON.stringify(steps) },
        ...{ endedAt: i === 0 ? null : 3_700_000, endedBy: null, operator: null },
      }));
      for (let i = 0; i < former.length; i += 100) {
        await database.db.insert(deadlocks).values(former.slice(i, i + 100));
      }
      process.now = 200_000;
      const news = { ...DEADLOCK, foundAt: process.now };
      await process.pass(0, { ...NOTHING, found: [news] });
      process.seen = [news];
      await process.pass(31_000);
      const kept = await process.history.list(2 * DEADLOCKS_MAX);
      expect(kept).toHaveLength(DEADLOCKS_MAX);
      expect(kept.slice(0, 2).map(({ id }) => id)).toEqual(['p-q', 'former-999']);
      expect(kept.some(({ endedAt, foundAt }) => endedAt !== null && endedAt < foundAt)).toBe(
        false,
      );
    } finally {
      await database.close();
    }
  },
);
