import mysql from 'mysql2/promise';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { createEngine } from '@/server/engine/create-engine';
import { newWriter } from '@/server/engine/new-writer';
import { systemClock } from '@/server/platform/clock';
import { openStore } from '@/server/storage/open-store';
import { race } from './race';

/** One way to count, as the bench drives it: subtracts one. */
export interface BenchCounter {
  name: string;
  takeOne(): Promise<void>;
  close(): Promise<void>;
}

const STOCK = 1_000_000_000;
const CALLERS = 500;
const AT_LEAST = 20;

/** The opponent: the row-locked statement that teams write by hand. No history, no request ids. */
export async function openRowCounter(url: string, connections: number): Promise<BenchCounter> {
  const pool = mysql.createPool({ uri: url, connectionLimit: connections, maxIdle: connections });
  await pool.query('CREATE TABLE stock (id INT NOT NULL PRIMARY KEY, amount BIGINT NOT NULL)');
  await pool.query('INSERT INTO stock VALUES (1, ?)', [STOCK]);
  return {
    name: 'row-locked UPDATE',
    async takeOne() {
      const [result] = await pool.execute<mysql.ResultSetHeader>(
        'UPDATE stock SET amount = amount - 1 WHERE id = 1 AND amount >= 1',
      );
      if (result.affectedRows !== 1) throw new Error('The stock is gone.');
    },
    close: () => pool.end(),
  };
}

/** Lockyard's engine and store as one process runs them, bounds and history included. */
export async function openLockyardCounter(url: string): Promise<BenchCounter> {
  const database = await openDatabase({ kind: 'mysql', url });
  await migrate(database);
  const store = await openStore({ kind: 'mysql', url }, database, systemClock);
  const engine = await createEngine({
    backend: 'default',
    kind: 'mysql',
    store,
    epochOf: () => 1,
    clock: systemClock,
    processId: newWriter(),
    newWriter,
    policyOf: () => DEFAULT_POLICY,
  });
  const key = { namespace: 'default', name: 'stock' };
  const party = { service: 'bench' };
  const bounds = { floor: 0, ceiling: null };
  await engine.count(key, { verb: 'create', initial: STOCK, ...bounds, party, request: null });
  return {
    name: 'Lockyard',
    async takeOne() {
      const { outcome } = await engine.count(key, { verb: 'add', delta: -1, party, request: null });
      if (outcome !== 'applied') throw new Error(`The bench lost a step: ${outcome}`);
    },
    async close() {
      await engine.close();
      await database.close();
    },
  };
}

/** Every caller repeats its call as soon as it is answered. Returns steps per second. */
async function rateOf(counter: BenchCounter, forMs: number): Promise<number> {
  const startedAt = performance.now();
  let steps = 0;
  const caller = async () => {
    while (performance.now() - startedAt < forMs) {
      await counter.takeOne();
      steps += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return (steps / (performance.now() - startedAt)) * 1_000;
}

/** One counter that all callers want at once. */
export function raceCounters(
  opponent: BenchCounter,
  ours: BenchCounter,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const contestant = (counter: BenchCounter) => ({
    name: counter.name,
    run: () => rateOf(counter, roundMs),
  });
  return race(
    `MariaDB: one hot counter, ${CALLERS} callers`,
    [contestant(opponent), contestant(ours)],
    [{ over: opponent.name, atLeast: AT_LEAST }],
    rounds,
  );
}
