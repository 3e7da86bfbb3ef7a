import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, databaseNow } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { DEFAULT_RETENTION } from '../../core/retention';
import { MINUTE_MS } from '../../core/time-units';
import { TestClock } from '../../platform/testing/test-clock';
import { pruneRefusals } from '../history/prune-recorded';
import { TimeSlice } from '../lock-list/order/time-slice';
import { LockInsights } from '../rollups/lock-insights';
import { KnownRefusals } from './known-refusals';
import { RefusalCounter } from './refusal-counter';
import { refusalsOf, writeRefusals } from './refusal-rows';
import { RefusalSync } from './refusal-sync';

const START = Date.UTC(2025, 10, 20, 8);
const KEY = { namespace: 'default', name: 'nightly' };
const ID = 'default/default/nightly';

/** One process over the database, whose connection may be cut. */
class RefusingProcess {
  readonly counter = new RefusalCounter();
  readonly known = new KnownRefusals();
  readonly changed: string[] = [];
  /** The instants from which rows of others were read. */
  readonly soughtSince: number[] = [];
  /** How many of these rows each statement returned. */
  readonly readAtOnce: number[] = [];
  isCutOff = false;
  private readonly sync: RefusalSync;

  constructor(
    database: Database,
    processId: string,
    private readonly clock: TestClock,
  ) {
    const { raw } = database;
    const ask: typeof raw.ask = async (sql, values) => {
      if (this.isCutOff) throw new Error('The connection is cut.');
      const answer = await raw.ask(sql, values);
      if (sql.includes('written_at >= ?')) {
        this.soughtSince.push(Number(values[0]));
        this.readAtOnce.push(answer.rows.length);
      }
      return answer;
    };
    this.sync = new RefusalSync({
      database: Object.create(database, { raw: { value: { ...raw, ask } } }),
      processId,
      counter: this.counter,
      known: this.known,
      onChange: (id) => this.changed.push(id),
      slice: () => new TimeSlice(() => 0),
    });
  }

  refuse(owner: string, { times = 1, token = 7, name = KEY.name } = {}): void {
    const caller = { service: 'orders', owner };
    for (let i = 0; i < times; i += 1) {
      this.counter.note('default', { ...KEY, name }, caller, token, this.clock.now());
    }
  }

  run(): Promise<void> {
    return this.sync.run();
  }

  end(): Promise<void> {
    return this.sync.flush();
  }

  get attempts(): number | undefined {
    return this.known.of(ID)?.all.attempts;
  }
}

const process = fc.nat(2);
const ms = fc.constantFrom(2_000, 30_000, 60_000, 150_000);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('refuse' as const), process }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('run' as const), process }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('cut' as const), process }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('restart' as const), process }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('pass' as const), ms }) },
);

describe.each(TEST_DIALECTS)('refused attempts over %s', (dialect) => {
  let database: Database;
  let clock: TestClock;
  let processes = 0;

  beforeEach(async () => {
    database = await openTestDatabase(dialect);
    clock = new TestClock(START);
  });
  afterEach(() => database.close());

  const start = () => {
    processes += 1;
    return new RefusingProcess(database, `p${processes}`, clock);
  };
  const refusedInRollups = async () => {
    const insights = new LockInsights(database, (backend) => [backend], ['default']);
    const { total } = await insights.ofLock('default', KEY, '1h', clock.now());
    const { total: all } = await insights.ofAll(['default'], '1h', clock.now());
    return { lock: total.refused, all: all.refused };
  };

  it('are known at their own process at once, even if they can only be written later', async () => {
    const process = start();
    process.isCutOff = true;
    process.refuse('w2', { times: 3 });
    await expect(process.run()).rejects.toThrow('cut');
    expect(process.attempts).toBe(3);
    expect(process.changed).toEqual([ID]);
    process.isCutOff = false;
    process.refuse('w3', { name: 'other' });
    await process.run();
    expect(await refusedInRollups()).toEqual({ lock: 3, all: 4 });
  });

  it('survive a restart, with their owners and when each was first refused', async () => {
    const before = start();
    before.refuse('w2', { times: 2 });
    await before.run();
    clock.pass(5_000);
    const after = start();
    after.refuse('w2');
    await after.run();
    expect(after.known.of(ID)?.owners).toEqual([
      {
        service: 'orders',
        owner: 'w2',
        attempts: 3,
        token: 7,
        firstAt: START,
        lastAt: START + 5_000,
      },
    ]);
  });

  it('are added up over the minutes of a hold, and forgotten with it', async () => {
    const process = start();
    for (let minute = 0; minute < 5; minute += 1) {
      process.refuse('w2', { times: 10 });
      await process.run();
      clock.pass(MINUTE_MS);
    }
    expect(process.known.of(ID)?.all).toMatchObject({ attempts: 50, firstAt: START });
    process.refuse('w2', { token: 8 });
    await process.run();
    // What else was refused within the last two minutes is still known.
    expect(process.known.of(ID)?.all).toMatchObject({ attempts: 11, firstAt: clock.now() });
    expect(await refusedInRollups()).toEqual({ lock: 51, all: 51 });
  });

  it('are removed after 30 days', async () => {
    const process = start();
    process.refuse('w2');
    await process.run();
    const rows = async () =>
      (await database.raw.ask('SELECT COUNT(*) FROM lock_refusals', [])).rows[0];
    expect(await rows()).toEqual([2]);
    clock.pass(30 * 24 * 60 * MINUTE_MS);
    await pruneRefusals(database, clock, DEFAULT_RETENTION);
    expect(await rows()).toEqual([2]);
    clock.pass(24 * 60 * MINUTE_MS);
    await pruneRefusals(database, clock, DEFAULT_RETENTION);
    expect(await rows()).toEqual([0]);
  });

  it('are all written before their process ends, on however many locks', async () => {
    const process = start();
    for (let i = 0; i < 1_200; i += 1) process.refuse('w2', { name: `lock-${i}` });
    await process.end();
    const { rows } = await database.raw.ask(
      "SELECT COUNT(*), SUM(attempts) FROM lock_refusals WHERE lock_id <> ''",
      [],
    );
    expect(rows[0]?.map(Number)).toEqual([1_200, 1_200]);
    expect((await refusedInRollups()).all).toBe(1_200);
  });

  it('are all counted if a clock that was set back repeats a minute', async () => {
    const process = start();
    for (const passedMs of [MINUTE_MS - 1_000, 2_000, -2_000, 2_000]) {
      clock.pass(passedMs);
      process.refuse('w2');
      await process.run();
    }
    expect(process.attempts).toBe(4);
    expect(await refusedInRollups()).toEqual({ lock: 4, all: 4 });
  });

  it('from minutes ago are known by process, even at one that refuses while starting', async () => {
    const [one, two] = [start(), start()];
    for (let minute = 0; minute < 5; minute += 1) {
      one.refuse('w2', { times: 2 });
      two.refuse('w3', { times: 3 });
      for (const process of [one, two]) await process.run();
      clock.pass(MINUTE_MS);
    }
    const three = start();
    three.refuse('w4');
    await three.run();
    expect(three.attempts).toBe(26);
  });

  it('from a process cut off for minutes are known at others once it is back', async () => {
    const [one, two] = [start(), start()];
    one.isCutOff = true;
    for (let minute = 0; minute < 5; minute += 1) {
      one.refuse('w2', { times: 2 });
      two.refuse('w3', { times: 3 });
      await one.run().catch(() => undefined);
      await two.run();
      clock.pass(MINUTE_MS);
    }
    one.isCutOff = false;
    for (const process of [one, two]) await process.run();
    expect([one.attempts, two.attempts]).toEqual([25, 25]);
  });

  it('of one hold are all known at every process in the end, whatever was cut off', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 30 }), async (steps) => {
        await database.raw.ask('DELETE FROM lock_refusals', []);
        const all = [start(), start(), start()];
        let refused = 0;
        const runAll = async () => {
          for (const each of all) await each.run();
        };
        for (const one of steps) {
          if (one.does === 'pass') {
            clock.pass(one.ms);
            continue;
          }
          const of = all[one.process] as RefusingProcess;
          if (one.does === 'cut') of.isCutOff = !of.isCutOff;
          else if (one.does === 'run') await of.run().catch(() => undefined);
          else if (one.does === 'refuse') {
            of.refuse('w2');
            refused += 1;
          } else if (!of.isCutOff) {
            await of.run();
            all[one.process] = start();
          }
        }
        for (const each of all) each.isCutOff = false;
        await runAll();
        await runAll();
        expect(all.map(({ attempts = 0 }) => attempts)).toEqual(all.map(() => refused));
      }),
      { numRuns: 60 },
    );
  });

  it('of others are searched from a later instant each time, even if there are none', async () => {
    const alone = start();
    for (let run = 0; run < 3; run += 1) await alone.run();
    const [first = 0, second = 0, third = 0] = alone.soughtSince;
    expect(second - first).toBeGreaterThanOrEqual(60 * MINUTE_MS);
    expect(third).toBeGreaterThanOrEqual(second);
  });

  it('of others are all known, however many were written in one millisecond', async () => {
    const all = { attempts: 2, token: 7, firstAt: START, lastAt: START };
    const counts = { all, owners: [], others: null };
    const row = { backend: 'default', minute: START, process: 'other', counts };
    const rows = Array.from({ length: 4_500 }, (_, i) => ({ ...row, lockId: `default/${i}` }));
    await writeRefusals(database, rows);
    const writtenAt = await databaseNow(database);
    await database.raw.ask('UPDATE lock_refusals SET written_at = ?', [writtenAt]);
    const process = start();
    await process.run();
    expect(new Set(process.changed).size).toBe(4_500);
  });

  it('of others are all known, however many are written within a few seconds', async () => {
    const process = start();
    await process.run();
    const writtenAt = await databaseNow(database);
    const rows = Array.from({ length: 21_000 }, (_, i) => {
      const all = { attempts: 1 + (i % 4_000), token: 7, firstAt: START, lastAt: START };
      const counts = { all, owners: [], others: null };
      return {
        backend: 'default',
        minute: START,
        process: 'other',
        lockId: `default/${i}`,
        counts,
      };
    });
    await writeRefusals(database, rows);
    await database.raw.ask('UPDATE lock_refusals SET written_at = ? + attempts', [writtenAt]);
    process.readAtOnce.length = 0;
    let [turns, isReading] = [0, true];
    const others = (async () => {
      for (; isReading; turns += 1) await setImmediate();
    })();
    for (let run = 0; run < 2; run += 1) await process.run();
    isReading = false;
    await others;
    expect(new Set(process.changed).size).toBe(rows.length);
    const { readAtOnce } = process;
    expect(Math.max(...readAtOnce)).toBeLessThanOrEqual(200);
    // Other work runs after each reading but the last one of a run.
    expect(turns).toBeGreaterThanOrEqual(readAtOnce.length - 2);
  });

  it('of hours on one lock are read in portions, with other work in between', async () => {
    const all = { attempts: 2, token: 7, firstAt: START, lastAt: START };
    const row = {
      backend: 'default',
      lockId: 'default/nightly',
      counts: { all, owners: [], others: null },
    };
    const rows = Array.from({ length: 350 }, (_, i) => {
      return { ...row, minute: START + Math.floor(i / 3) * MINUTE_MS, process: `p${i % 3}` };
    });
    await writeRefusals(database, rows);
    let [turns, isReading] = [0, true];
    const others = (async () => {
      for (; isReading; turns += 1) await setImmediate();
    })();
    const end = START + 24 * 60 * MINUTE_MS;
    const parts = await refusalsOf(database, 'default', row.lockId, START, end);
    isReading = false;
    await others;
    const found = parts.map(({ minute, process: of }) => `${minute} ${of}`);
    expect(found.reverse()).toEqual(rows.map(({ minute, process: of }) => `${minute} ${of}`));
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('of all processes are known at each after one exchange', async () => {
    const [one, two] = [start(), start()];
    for (const process of [one, two]) await process.run();
    one.refuse('w2', { times: 3 });
    two.refuse('w2', { times: 4 });
    two.refuse('w3', { times: 1 });
    for (const process of [one, two, one]) await process.run();
    for (const process of [one, two]) {
      expect(process.known.of(ID)).toMatchObject({
        all: { attempts: 8 },
        owners: [
          { owner: 'w2', attempts: 7 },
          { owner: 'w3', attempts: 1 },
        ],
      });
    }
    // Each row is a state, not a difference: to read or write it again changes nothing.
    one.changed.length = 0;
    await one.run();
    expect(one.changed).toEqual([]);
    expect(await refusedInRollups()).toEqual({ lock: 8, all: 8 });
  });
});
