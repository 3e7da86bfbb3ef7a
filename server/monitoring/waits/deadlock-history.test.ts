import { expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import type { DeadlockRow } from '../../contract/console/waits/wait-graph';
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
  readonly history: DeadlockHistory;

  constructor(database: Database) {
    this.history = new DeadlockHistory({
      database,
      clock: { now: () => this.now, monotonic: () => this.now },
      log: { warn: () => undefined },
      watch: { examine: () => this.news, rows: () => this.seen },
      isRunner: () => true,
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
