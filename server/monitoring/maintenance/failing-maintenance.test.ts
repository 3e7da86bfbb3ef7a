import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DEFAULT_RETENTION } from '../../core/retention';
import { EXPIRY_LEFT_TO_CALLERS_MS, MAINTENANCE_LEASE_MS } from '../../core/timing';
import { EngineRig, pause, takeLock } from '../../engine/testing/engine-rig';
import { systemClock } from '../../platform/clock';
import { createLog } from '../../platform/log';
import { creation, freshKey } from '../../storage/conformance/testing/changes';
import { type RecordKey, StoreError } from '../../storage/record-store';
import { FormerStore } from '../history/former-stores';
import { TimeSlice } from '../lock-list/order/time-slice';
import { Maintenance, type MaintenanceOptions } from './maintenance';

/** Long enough to be granted in time on a busy machine. */
const SHORT_MS = 1_000;

let rig: EngineRig;

beforeAll(async () => {
  rig = await EngineRig.open('sqlite');
});
afterAll(() => rig.close());

const idle = {
  run: async () => undefined,
  prune: async () => undefined,
  restart: () => undefined,
};

async function start(
  parts: Partial<MaintenanceOptions>,
  record: () => Promise<void>,
  write: (line: string) => void = () => undefined,
): Promise<Maintenance> {
  const { engine, faults, process } = await rig.join();
  return new Maintenance({
    backends: [{ id: 'default', store: faults, engine, epochOf: () => 1 }],
    projection: { dueForExpiry: () => [], remove: () => undefined },
    recorders: [{ ...idle, id: 'default', lagMs: () => 0, unreadableCommits: 0, record }],
    incidents: idle,
    heat: { ...idle, flush: async () => undefined },
    alerts: { jobs: () => [], restart: () => undefined, abort: () => undefined },
    capacity: { run: async () => undefined, setLegacyLimits: async () => undefined },
    clock: systemClock,
    log: createLog({ write }),
    processId: process,
    resolveIntents: async () => undefined,
    pruneAudit: async () => undefined,
    witnesses: { jobs: () => [], restart: () => undefined, abort: () => undefined },
    pruneEvidence: async () => undefined,
    ...parts,
  }).start();
}

it('a maintenance job that keeps failing is logged once, with its name and reason', async () => {
  const lines: string[] = [];
  let attempts = 0;
  const record = async () => {
    attempts += 1;
    throw new StoreError('The store is away.', 'no');
  };
  const maintenance = await start({}, record, (line) => void lines.push(line));
  await vi.waitFor(() => expect(attempts).toBeGreaterThan(2), 10_000);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      job: 'record history of default',
      err: { type: 'StoreError', message: 'The store is away.' },
    },
  ]);
  await maintenance.stop();
});

/** A clock that can jump as if the process had been suspended. */
function stallingClock() {
  let stoodStillMs = 0;
  return {
    now: () => systemClock.now() + stoodStillMs,
    monotonic: () => systemClock.monotonic() + stoodStillMs,
    loseLease: () => {
      stoodStillMs += MAINTENANCE_LEASE_MS;
    },
  };
}

it('a process paused beyond its lease runs no job until it has the lock again', async () => {
  const clock = stallingClock();
  const begun: boolean[] = [];
  let runs = 0;
  const maintenance = await start(
    { clock, incidents: { ...idle, run: async () => void begun.push(maintenance.isRunner) } },
    async () => {
      runs += 1;
      if (runs === 1) clock.loseLease();
    },
  );
  await vi.waitFor(() => expect(begun.length).toBeGreaterThan(0), 10_000);
  expect(begun).not.toContain(false);
  await maintenance.stop();
});

it('a process that loses the lock stores how long was waited while it had it', async () => {
  const clock = stallingClock();
  const heat = { run: vi.fn(async () => undefined), flush: vi.fn(async () => undefined) };
  const maintenance = await start({ clock, heat: { ...idle, ...heat } }, async () => undefined);
  await vi.waitFor(() => expect(heat.run).toHaveBeenCalled(), 10_000);
  heat.flush.mockClear();
  clock.loseLease();
  await vi.waitFor(() => expect(heat.flush).toHaveBeenCalled(), 10_000);
  await maintenance.stop();
});

it('ten-minute jobs do not run again whenever a process gets the lock again', async () => {
  const clock = stallingClock();
  const begun: number[] = [];
  let [runs, pruned] = [0, 0];
  const maintenance = await start(
    {
      clock,
      incidents: { ...idle, restart: () => void begun.push(runs) },
      pruneAudit: async () => {
        pruned += 1;
      },
    },
    async () => {
      runs += 1;
      if (runs === 2) clock.loseLease();
    },
  );
  await vi.waitFor(() => expect(begun).toHaveLength(2), 10_000);
  await vi.waitFor(() => expect(runs).toBeGreaterThan((begun[1] ?? Number.NaN) + 1), 10_000);
  expect(pruned).toBe(1);
  await maintenance.stop();
});

it('expired holds are ended of locks that no caller has used since they were read', async () => {
  const member = await rig.join();
  const { engine, faults } = member;
  const [untouched, touched, lapsedAgain] = [freshKey(), freshKey(), freshKey()];
  const read = new Map<RecordKey, number>();
  for (const key of [untouched, touched, lapsedAgain]) {
    read.set(key, (await takeLock(member, key, 'w1', { leaseMs: SHORT_MS })).rev);
  }
  await pause(SHORT_MS + 50);
  await takeLock(member, touched, 'w2', { leaseMs: 60_000 });
  await takeLock(member, lapsedAgain, 'w2', { leaseMs: SHORT_MS });
  await pause(EXPIRY_LEFT_TO_CALLERS_MS + SHORT_MS + 50);
  const expire = vi.spyOn(engine, 'expireAndPromote');
  const due = () =>
    [...read].map(([key, rev]) => ({ backend: 'default', key, rev, expired: true }));
  const maintenance = await start(
    {
      backends: [{ id: 'default', store: faults, engine, epochOf: () => 1 }],
      projection: { dueForExpiry: due, remove: () => undefined },
    },
    async () => undefined,
  );
  await vi.waitFor(() => expect(expire).toHaveBeenCalled(), 10_000);
  expect(expire.mock.calls[0]?.[0]).toEqual([untouched, lapsedAgain]);
  await maintenance.stop();
});

it('a process ends at once even if the URL of a witness does not respond', async () => {
  let asked = 0;
  let giveUp = () => {};
  const run = () =>
    new Promise<void>((resolve) => {
      asked += 1;
      giveUp = resolve;
    });
  const jobs = () => [{ name: 'ask', everyMs: 10_000, run }];
  const witnesses = { jobs, restart: () => undefined, abort: () => giveUp() };
  const maintenance = await start({ witnesses }, async () => undefined);
  await vi.waitFor(() => expect(asked).toBe(1), 10_000);
  await maintenance.stop();
});

it('a clean-up ends with its process, however many records are left to check', async () => {
  await rig.under.store.swap(Array.from({ length: 450 }, () => creation(freshKey())));
  let [instant, pages] = [0, 0];
  let stopped: Promise<void> | null = null;
  const alwaysOver = () => {
    instant += 10;
    return instant;
  };
  const stopAfterFirst = async () => {
    pages += 1;
    stopped ??= maintenance.stop();
  };
  const slice = () => new TimeSlice(alwaysOver, alwaysOver, stopAfterFirst);
  const maintenance = await start({ slice }, async () => undefined);
  await vi.waitFor(() => expect(stopped).not.toBe(null), 10_000);
  await stopped;
  expect(pages).toBe(1);
});

it('a removal of old rows ends with its process, however many are left', async () => {
  const { database } = rig.under;
  const { raw } = database;
  const columns = 'backend, lock_id, minute, grants, timeouts, expiries, forced, waits, holds';
  for (let minute = 1; minute <= 20; minute += 1) {
    const values = Array.from(
      { length: 1_000 },
      (_, i) => `('gone', 'default/${i}', ${minute}, 1, 0, 0, 0, '', '')`,
    );
    await raw.ask(`INSERT INTO lock_minutes (${columns}) VALUES ${values}`, []);
  }
  let stopped: Promise<void> | null = null;
  const ask: typeof raw.ask = async (sql, values) => {
    const answer = await raw.ask(sql, values);
    if (sql.startsWith('DELETE FROM lock_minutes')) stopped ??= maintenance.stop();
    return answer;
  };
  const slow = { ...database, raw: { ...raw, ask } } as typeof database;
  const former = new FormerStore(slow, 'gone', systemClock, DEFAULT_RETENTION);
  const maintenance = await start({ recorders: [former] }, async () => undefined);
  await vi.waitFor(() => expect(stopped).not.toBe(null), 10_000);
  await stopped;
  expect(await database.db.$count(database.tables.lockMinutes)).toBeGreaterThan(0);
});
