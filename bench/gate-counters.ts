import mysql from 'mysql2/promise';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { createEngine } from '@/server/engine/create-engine';
import { CounterGates } from '@/server/engine/gate/counter-gates';
import type { LockEngine } from '@/server/engine/lock-engine';
import { newWriter } from '@/server/engine/new-writer';
import { systemClock } from '@/server/platform/clock';
import { openStore } from '@/server/storage/open-store';
import { openRedisGate } from '@/server/storage/redis-gate/redis-gate';
import { median } from './median';
import { race } from './race';

const STOCK = 1_000_000_000;
const GATED = 'gate';
const PLAIN = 'plain';
const WORKLOADS = [
  { title: 'one counter, 500 callers', counters: 1, callers: 500 },
  { title: '1,000 counters, 50 callers', counters: 1_000, callers: 50 },
];

interface Contestants {
  engine: LockEngine;
  close(): Promise<void>;
}

/** One engine on MySQL with two namespaces; a gate guards the counters of one of them. */
async function openContestants(url: string, redisUrl: string): Promise<Contestants> {
  const database = await openDatabase({ kind: 'mysql', url });
  await migrate(database);
  const plain = await createEngine({
    backend: 'default',
    kind: 'mysql',
    store: await openStore({ kind: 'mysql', url }, database, systemClock),
    epochOf: () => 1,
    clock: systemClock,
    processId: newWriter(),
    newWriter,
    policyOf: () => DEFAULT_POLICY,
  });
  const gates = new CounterGates({
    ids: ['cache'],
    open: () => openRedisGate(redisUrl, { scope: newWriter(), process: newWriter() }),
    gateIdOf: (namespace) => (namespace === GATED ? 'cache' : null),
    clock: systemClock,
    log: { warn: (_: unknown, text?: string) => console.log(`  ${text}`), info: () => {} },
  });
  const engine = gates.inFrontOf(plain);
  return {
    engine,
    async close() {
      gates.close();
      await engine.close();
      await database.close();
    },
  };
}

/** Subtracts one from each counter in turn, as fast as answers come. Returns steps per second. */
async function rateOf(
  engine: LockEngine,
  namespace: string,
  { name, counters, callers }: { name: string; counters: number; callers: number },
  forMs: number,
): Promise<number> {
  const party = { service: 'bench' };
  const startedAt = performance.now();
  let steps = 0;
  const caller = async () => {
    while (performance.now() - startedAt < forMs) {
      const key = { namespace, name: `${name} ${Math.floor(Math.random() * counters)}` };
      await engine.count(key, { verb: 'add', delta: -1, party, request: null });
      steps += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (steps / (performance.now() - startedAt)) * 1_000;
}

async function createAll(
  engine: LockEngine,
  name: string,
  counters: number,
  initial: number,
): Promise<void> {
  const bounds = { floor: 0, ceiling: null };
  const party = { service: 'bench' };
  const command = { verb: 'create', initial, ...bounds, party, request: null } as const;
  const keys = [PLAIN, GATED].flatMap((namespace) =>
    Array.from({ length: counters }, (_, i) => ({ namespace, name: `${name} ${i}` })),
  );
  await Promise.all(keys.map((key) => engine.count(key, command)));
}

/**
 * Compares counters behind a gate with counters without one, on one engine: while they sell, and
 * when they are sold out. Statements are those that MariaDB counts, minus those of an idle engine.
 */
export async function raceGate(
  { server, database, redis }: { server: string; database: string; redis: string },
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const { engine, close } = await openContestants(database, redis);
  const admin = await mysql.createConnection(server);
  const questions = async () => {
    const [rows] = await admin.query<mysql.RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Questions'");
    return Number(rows[0]?.Value);
  };
  /** Statements per second while work runs; the second reading counts itself. */
  const statementsIn = async (work: () => Promise<number>) => {
    const [before, startedAt] = [await questions(), performance.now()];
    const rate = await work();
    const seconds = (performance.now() - startedAt) / 1_000;
    return { rate, perSecond: ((await questions()) - before - 1) / seconds };
  };
  const idle = () => new Promise<number>((resolve) => setTimeout(resolve, roundMs, 0));
  for (const { title, counters, callers } of WORKLOADS) {
    for (const [phase, stock, atLeast] of [
      ['selling', STOCK, 0.8],
      ['sold out', 0, 1],
    ] as const) {
      const name = `${phase} ${counters}`;
      await createAll(engine, name, counters, stock);
      const load = { name, counters, callers };
      await rateOf(engine, GATED, load, WARM_UP_MS);
      const { perSecond: ofIdle } = await statementsIn(idle);
      const statements = new Map<string, number[]>([
        [PLAIN, []],
        [GATED, []],
      ]);
      const contestant = (namespace: string, label: string) => ({
        name: label,
        async run() {
          const { rate, perSecond } = await statementsIn(() =>
            rateOf(engine, namespace, load, roundMs),
          );
          statements.get(namespace)?.push(Math.max(0, perSecond - ofIdle));
          return rate;
        },
      });
      const plain = contestant(PLAIN, 'counters on MySQL alone');
      const gated = contestant(GATED, 'with Redis in front');
      await race(
        `MariaDB and Redis: ${title}, ${phase}`,
        [plain, gated],
        [{ over: plain.name, atLeast }],
        rounds,
      );
      sayStatements(statements, phase === 'sold out');
    }
  }
  await admin.end();
  await close();
}

/** Waits longer than a new gate lets every call pass. */
const WARM_UP_MS = 9_000;

function sayStatements(statements: Map<string, number[]>, isClaim: boolean): void {
  const [plain = 0, gated = 0] = [PLAIN, GATED].map((name) =>
    median((statements.get(name) ?? []).slice(1)),
  );
  const share = `${((100 * gated) / plain).toFixed(2)} %`;
  const claim = isClaim ? ' (at most 1 %)' : '';
  console.log(`  statements/s: ${plain.toFixed(1)} and ${gated.toFixed(1)}, ${share}${claim}`);
}
