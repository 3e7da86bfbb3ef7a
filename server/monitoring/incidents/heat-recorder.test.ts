import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { CommitUnknown } from '@/db/database-failure';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import type { LockStatus } from '../../contract/console/console-terms';
import type { HeatMap } from '../../contract/console/past/overview';
import { DAY_MS, MINUTE_MS } from '../../core/time-units';
import { TableRig } from '../testing/table-rig';
import { HeatRecorder } from './heat-recorder';
import { HeatTable } from './heat-table';

const minutesOf = ({ rows }: HeatMap) => Math.round((rows[0]?.waiterMs ?? 0) / MINUTE_MS);

describe.each(TEST_DIALECTS)('the counts of waiting over %s', (dialect) => {
  let database: Database;
  beforeAll(async () => {
    database = await openTestDatabase(dialect);
  });
  afterAll(() => database.close());

  /** One lock with one waiter, `days` after all that other tests count. */
  async function warm(days: number, stored: Partial<HeatTable> = {}) {
    const rig = new TableRig();
    rig.now = days * 200 * DAY_MS;
    const heat = new HeatTable(database);
    const clock = { now: () => rig.now, monotonic: () => rig.now };
    const add: HeatTable['add'] = (...step) => heat.add(...step);
    const prune: HeatTable['prune'] = (...until) => heat.prune(...until);
    const recorder = new HeatRecorder(rig.table, { add, prune, ...stored }, clock);
    rig.store('warm', { waiters: 1 });
    await rig.table.refresh();
    return { rig, heat, recorder };
  }

  it('show which locks were waited for, how long and when, over an hour and a day', async () => {
    const rig = new TableRig();
    const heat = new HeatTable(database);
    const clock = { now: () => rig.now, monotonic: () => rig.now };
    const recorder = new HeatRecorder(rig.table, heat, clock);
    rig.now = Math.ceil(rig.now / (15 * MINUTE_MS)) * 15 * MINUTE_MS;
    const begin = rig.now;
    rig.store('calm', { waiters: 0 });
    rig.store('warm', { waiters: 1 });
    rig.store('hot', { waiters: 3 });
    await rig.table.refresh();
    for (; rig.now <= begin + 20 * MINUTE_MS; rig.now += 5_000) await recorder.run();
    const hour = await heat.map('1h', rig.now);
    expect(hour.rows.map(({ name }) => name)).toEqual(['hot', 'warm']);
    const [hot] = hour.rows;
    expect(hot?.cells).toHaveLength(20);
    expect(hot?.cells.slice(1).every(({ waiterMs }) => waiterMs === 3 * MINUTE_MS)).toBe(true);
    // The coarse step that is over, and the minutes since.
    const day = await heat.map('24h', rig.now);
    const whole = hour.rows.map(({ name, waiterMs }) => [name, waiterMs]);
    expect(day.rows.map(({ name, waiterMs }) => [name, waiterMs])).toEqual(whole);
    rig.now += 4 * 60 * MINUTE_MS;
    await recorder.prune();
    expect((await heat.map('24h', rig.now)).rows).toHaveLength(2);
  });

  it('as of an instant include those up to then, once each', async () => {
    const { rig, heat, recorder } = await warm(40);
    const begin = rig.now;
    const at = begin + 40 * MINUTE_MS;
    for (; rig.now < begin + 60 * MINUTE_MS; rig.now += 5_000) await recorder.run();
    for (const range of ['24h', '30d', '1h'] as const) {
      expect(minutesOf(await heat.map(range, at))).toBe(40);
    }
    // The minutes are gone: the coarse step of that instant has a little more.
    rig.now += 4 * 60 * MINUTE_MS;
    await recorder.prune();
    expect(minutesOf(await heat.map('24h', at, rig.now))).toBe(45);
    const hour = await heat.map('1h', at, rig.now);
    expect(minutesOf(hour)).toBe(45);
    const [cell] = hour.rows[0]?.cells ?? [];
    expect(hour.from + (cell?.step ?? 0) * hour.stepMs).toBe(begin);
    expect(hour.from).toBeLessThanOrEqual(at - 60 * MINUTE_MS);
  });

  it('as of an instant omit later waits, even within the same quarter of an hour', async () => {
    const { rig, heat, recorder } = await warm(45);
    const begin = rig.now;
    rig.store('warm', { waiters: 0 });
    for (; rig.now < begin + 40 * MINUTE_MS; rig.now += 5_000) {
      if (rig.now === begin + 10 * MINUTE_MS) rig.store('warm', { waiters: 1 });
      await rig.table.refresh();
      await recorder.run();
    }
    for (const range of ['24h', '30d', '1h'] as const) {
      expect(minutesOf(await heat.map(range, begin + 5 * MINUTE_MS, rig.now))).toBe(0);
    }
  });

  it('are complete for a day in which recording restarted every ten minutes', async () => {
    const { rig, heat, recorder } = await warm(50);
    const begin = rig.now;
    for (; rig.now <= begin + 60 * MINUTE_MS; rig.now += 5_000) {
      if ((rig.now - begin) % (10 * MINUTE_MS) === 0) recorder.restart();
      await recorder.run();
    }
    expect(minutesOf(await heat.map('24h', rig.now))).toBe(60);
  });

  it('are complete for a day in which the server was restarted every ten minutes', async () => {
    const { rig, heat, ...first } = await warm(70);
    const clock = { now: () => rig.now, monotonic: () => rig.now };
    const begin = rig.now;
    let { recorder } = first;
    for (; rig.now <= begin + 60 * MINUTE_MS; rig.now += 5_000) {
      if ((rig.now - begin) % (10 * MINUTE_MS) === 0) {
        await recorder.flush();
        recorder = new HeatRecorder(rig.table, heat, clock);
      }
      await recorder.run();
    }
    expect(minutesOf(await heat.map('24h', rig.now))).toBe(60);
  });

  it('are stored once where a run and a flush begin at the same moment', async () => {
    const { rig, heat, recorder } = await warm(75);
    const begin = rig.now;
    for (; rig.now < begin + 20 * MINUTE_MS; rig.now += 5_000) await recorder.run();
    await Promise.all([recorder.run(), recorder.flush(), recorder.run(), recorder.flush()]);
    expect(minutesOf(await heat.map('24h', rig.now))).toBe(20);
    expect(minutesOf(await heat.map('1h', rig.now))).toBe(20);
  });

  it('lack at most five minutes of a day in which a server was killed', async () => {
    const { rig, heat, ...first } = await warm(80);
    const clock = { now: () => rig.now, monotonic: () => rig.now };
    const begin = rig.now;
    let { recorder } = first;
    for (; rig.now <= begin + 60 * MINUTE_MS; rig.now += 5_000) {
      if (rig.now - begin === 29 * MINUTE_MS) recorder = new HeatRecorder(rig.table, heat, clock);
      await recorder.run();
    }
    expect(minutesOf(await heat.map('24h', rig.now))).toBeGreaterThanOrEqual(55);
  });

  it('continue while the control database is down, and are stored when it is back', async () => {
    let isAway = false;
    const { rig, heat, recorder } = await warm(60, {
      add: async (...step) => {
        if (isAway) throw new Error('It is away.');
        await heat.add(...step);
      },
    });
    const begin = rig.now;
    for (; rig.now <= begin + 60 * MINUTE_MS; rig.now += 5_000) {
      const minute = (rig.now - begin) / MINUTE_MS;
      isAway = minute > 10 && minute < 40;
      await recorder.run().catch(() => undefined);
    }
    expect(minutesOf(await heat.map('24h', rig.now))).toBe(60);
  });

  it('include a step once even if the commit that stored it got no answer', async () => {
    let unanswered = 0;
    const { rig, heat, recorder } = await warm(65, {
      add: async (...step) => {
        await heat.add(...step);
        unanswered += 1;
        if (unanswered % 2 === 1) throw new CommitUnknown('No answer to the commit.');
      },
    });
    const begin = rig.now;
    for (; rig.now <= begin + 20 * MINUTE_MS; rig.now += 5_000) {
      await recorder.run().catch(() => undefined);
    }
    expect(unanswered).toBeGreaterThan(40);
    expect(minutesOf(await heat.map('24h', rig.now))).toBe(20);
    expect(minutesOf(await heat.map('1h', rig.now))).toBe(20);
  });

  it('include a step once if one of another length is stored between its attempts', async () => {
    const heat = new HeatTable(database);
    const at = 130 * DAY_MS;
    const key = { namespace: 'default', name: 'lock' };
    const records = [
      { backend: 'default', key, waiterMs: MINUTE_MS, status: 'contended' as const },
    ];
    const long = [15 * MINUTE_MS, at, records, 1] as const;
    await heat.add(...long);
    await heat.add(MINUTE_MS, at, records, 2);
    await heat.add(...long);
    expect(minutesOf(await heat.map('24h', at + 15 * MINUTE_MS))).toBe(1);
    expect(minutesOf(await heat.map('1h', at + 15 * MINUTE_MS))).toBe(1);
  });

  it('show the worst status of a step that two processes have written in turn', async () => {
    const heat = new HeatTable(database);
    const at = 90 * 24 * 60 * MINUTE_MS;
    const record = { backend: 'default', key: { namespace: 'default', name: 'lock' }, waiterMs: 1 };
    for (const [i, statuses] of [
      ['contended', 'stuck'],
      ['stuck', 'contended'],
    ].entries()) {
      for (const [j, status] of (statuses as LockStatus[]).entries()) {
        await heat.add(MINUTE_MS, at + i * MINUTE_MS, [{ ...record, status }], 1 + 2 * i + j);
      }
    }
    const { rows } = await heat.map('1h', at + 2 * MINUTE_MS);
    expect(rows[0]?.cells).toMatchObject([
      { status: 'stuck', waiterMs: 2 },
      { status: 'stuck', waiterMs: 2 },
    ]);
  });

  it('are removed in batches, until this process must leave that to another', async () => {
    const heat = new HeatTable(database);
    const at = 95 * DAY_MS;
    const counted = { backend: 'default', waiterMs: 1, status: 'contended' } as const;
    for (let from = 0; from < 2_500; from += 500) {
      const keyOf = (i: number) => ({ namespace: 'default', name: `old ${from + i}` });
      const records = Array.from({ length: 500 }, (_, i) => ({ ...counted, key: keyOf(i) }));
      await heat.add(MINUTE_MS, at, records, 1 + from);
    }
    const { raw } = database;
    const left = async () => {
      const sql = 'SELECT COUNT(*) FROM lock_heat WHERE at = ?';
      return Number((await raw.ask(sql, [at])).rows[0]?.[0]);
    };
    const turns = [true, true, false];
    const isLongAgo = at + 10 * DAY_MS;
    await heat.prune(isLongAgo, DAY_MS, () => turns.shift() ?? false);
    const afterTwo = await left();
    expect(afterTwo).toBeGreaterThan(0);
    expect(afterTwo).toBeLessThan(2_500);
    await heat.prune(isLongAgo, DAY_MS);
    expect(await left()).toBe(0);
  });

  it('are not attributed to a lock that has replaced one that was waited for', async () => {
    const rig = new TableRig();
    rig.now += 30 * 24 * 60 * MINUTE_MS;
    const heat = new HeatTable(database);
    const clock = { now: () => rig.now, monotonic: () => rig.now };
    const recorder = new HeatRecorder(rig.table, heat, clock);
    rig.store('gone', { waiters: 3 });
    await rig.table.refresh();
    await recorder.run();
    rig.remove('gone');
    rig.store('fresh', { waiters: 0 });
    rig.now += 1_000;
    await recorder.run();
    rig.now += MINUTE_MS;
    await recorder.run();
    expect((await heat.map('1h', rig.now)).rows).toEqual([]);
  });
});
