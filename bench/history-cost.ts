import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import type { DatabaseUrl } from '@/db/urls/backend-url';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { NameCount } from '@/server/engine/names/name-count';
import { SharedHistory } from '@/server/monitoring/history/shared-history';
import { startMonitoring } from '@/server/monitoring/start-monitoring';
import { countRefusal } from '@/server/operations/locks/for-services/count-refusal';
import { systemClock } from '@/server/platform/clock';
import { openStore } from '@/server/storage/open-store';
import type { BenchLock } from './bench-lock';
import { closedLoop, type Load } from './closed-loop';
import { freshDatabase } from './fresh-database';
import { createBenchEngine, lockyardLockOf, lockyardLockOver } from './lockyard-lock';
import { median } from './median';
import { race } from './race';

const NAMES = 10_000;
const CALLERS = 50;
const AT_LEAST = 0.6;

const LOAD: Load = {
  callers: CALLERS,
  nextLock: () => `lock-${Math.floor(Math.random() * NAMES)}`,
  counts: 'cycles',
};

/** Compares the engine alone with one whose history is kept, on MariaDB and on SQLite. */
export async function raceHistory(
  server: string,
  times: { rounds: number; roundMs: number },
): Promise<void> {
  const mysql = async (name: string): Promise<DatabaseUrl> => ({
    kind: 'mysql',
    url: await freshDatabase(server, name),
  });
  await raceOn('MariaDB', await mysql('bench_alone'), await mysql('bench_history'), times);
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-bench-'));
  const sqlite = (name: string): DatabaseUrl => ({ kind: 'sqlite', path: join(folder, name) });
  try {
    await raceOn('SQLite', sqlite('alone.db'), sqlite('history.db'), times);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function raceOn(
  where: string,
  aloneAt: DatabaseUrl,
  historyAt: DatabaseUrl,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const alone = await openAlone(aloneAt);
  const whole = await openWithHistory(historyAt);
  const lagsMs: number[] = [];
  await race(
    `${where}: acquire + release, random of 10,000 names, ${CALLERS} callers`,
    [
      { name: alone.name, run: () => closedLoop(alone, LOAD, roundMs) },
      {
        name: whole.lock.name,
        async run() {
          const rate = await closedLoop(whole.lock, LOAD, roundMs);
          // Unfinished recording would slow the next contestant down.
          lagsMs.push(await whole.untilRecorded());
          return rate;
        },
      },
    ],
    [{ over: alone.name, atLeast: AT_LEAST }],
    rounds,
  );
  console.log(`  recorded ${Math.round(median(lagsMs))} ms after the last call`);
  await alone.close();
  await whole.lock.close();
}

async function openAlone(url: DatabaseUrl): Promise<BenchLock> {
  const database = await openDatabase(url);
  await migrate(database);
  const store = await openStore(url, database, systemClock);
  return lockyardLockOver(store, database, { name: 'The engine alone', mode: 'exclusive' });
}

/** With the tail, the recorder of events, the roll-ups and the counting of refusals. */
async function openWithHistory(url: DatabaseUrl) {
  const database = await openDatabase(url);
  await migrate(database);
  const store = await openStore(url, database, systemClock);
  const history = new SharedHistory(store, systemClock);
  const engine = await createBenchEngine(store, history.noteSwap);
  const monitoring = startMonitoring({
    backends: [{ id: 'default', store, history, engine, epochOf: () => 1 }],
    database,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    processId: 'bench',
    namespaces: {
      get: async () => ({ backend: 'default' }),
      keeperOf: async () => 'default',
      policyOf: () => DEFAULT_POLICY,
      all: () => [{ name: 'default', backend: 'default' }],
    },
    names: new NameCount(() => systemClock.monotonic()),
    heap: { isShort: () => false },
    resolveIntents: async () => {},
  });
  const close = async () => {
    await monitoring.close();
    await database.close();
  };
  const ctx = { runtime: { refusals: monitoring.refusals, clock: systemClock } };
  const lock = lockyardLockOf(
    engine,
    { close },
    {
      held: { name: 'The engine with its history', mode: 'exclusive' },
      onAnswer: (of, key, caller, answer) => countRefusal(ctx, of, key, caller, answer),
    },
  );
  const recordedTo = async () => {
    const { rows } = await database.raw.ask('SELECT position FROM cursors WHERE id = ?', [
      'opened/default',
    ]);
    return Number(rows[0]?.[0] ?? 0);
  };
  return {
    lock,
    /** Returns how many milliseconds it took. */
    async untilRecorded(): Promise<number> {
      const startedAt = performance.now();
      const end = await store.historyEnd();
      while ((await recordedTo()) < end) await sleep(50);
      return performance.now() - startedAt;
    },
  };
}
