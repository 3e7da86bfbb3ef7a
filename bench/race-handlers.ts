import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { createEngine } from '@/server/engine/create-engine';
import { newWriter } from '@/server/engine/new-writer';
import { systemClock } from '@/server/platform/clock';
import type {
  Change,
  ReadResult,
  RecordKey,
  RecordStore,
  StoredRecord,
  SwapResult,
} from '@/server/storage/record-store';
import type { HttpLoader } from './http-loader';
import {
  type BenchServer,
  openBareServer,
  openBenchRuntime,
  openLockyardServer,
  openStockServer,
} from './http-servers';
import { untilRecorded } from './processes/whole-lockyard';
import { race } from './race';
import { openSegmentedLock } from './segmented-lock';

const CONNECTIONS = 64;
/** Short, so that most requests find their lock free. */
const LEASE_MS = 500;
const DATABASE_CONNECTIONS = 50;

export interface Rounds {
  rounds: number;
  roundMs: number;
}

/**
 * Measures the cost of the HTTP handlers: the usual engine and operation, over a store that costs
 * next to nothing.
 */
export async function raceHandlers(loader: HttpLoader, { rounds, roundMs }: Rounds): Promise<void> {
  const { runtime, key, close } = await openBenchRuntime();
  const engine = await createEngine({
    backend: 'default',
    kind: 'memory',
    store: new MemoryStore(),
    epochOf: () => 1,
    clock: systemClock,
    processId: newWriter(),
    newWriter,
    policyOf: () => DEFAULT_POLICY,
  });
  const replaced = runtime.engines.get('default');
  runtime.engines.set('default', engine);
  const bare = await openBareServer();
  const stock = await openLockyardServer(runtime, { fastPath: false });
  const fast = await openLockyardServer(runtime, { fastPath: true });
  const driven = (name: string, { port, path }: BenchServer) => ({
    name,
    run: async () => {
      const order = { port, path, key, leaseMs: LEASE_MS, connections: CONNECTIONS };
      return (await loader.drive({ ...order, forMs: roundMs })).perSecond;
    },
  });
  await race(
    `lock.acquire over HTTP, one a request, ${CONNECTIONS} connections, records in memory`,
    [driven('bare node:http', bare), driven('stock adapter', stock), driven('fast path', fast)],
    [
      { over: 'bare node:http', atLeast: 0.6 },
      { over: 'stock adapter', atLeast: 5 },
    ],
    rounds,
  );
  for (const server of [bare, stock, fast]) await server.close();
  await engine.close();
  if (replaced) runtime.engines.set('default', replaced);
  await close();
}

/** The whole way from the caller's socket to the disk and back. */
export async function raceEndToEnd(
  loader: HttpLoader,
  { rounds, roundMs }: Rounds,
  urls: { opponent: string; ours: string },
): Promise<void> {
  const lock = await openSegmentedLock(urls.opponent, DATABASE_CONNECTIONS, {
    leaseMs: LEASE_MS,
  });
  const opponent = await openStockServer(lock);
  const { runtime, key, close } = await openBenchRuntime(urls.ours);
  const ours = await openLockyardServer(runtime, { fastPath: true });
  const driven = (name: string, { port, path }: BenchServer) => ({
    name,
    run: async () => {
      const order = { port, path, key, leaseMs: LEASE_MS, connections: CONNECTIONS };
      return (await loader.drive({ ...order, forMs: roundMs })).perSecond;
    },
  });
  const opponentName = `${lock.name}, stock adapter`;
  await race(
    `lock.acquire over HTTP to MariaDB, random of 10,000 names, ${CONNECTIONS} connections`,
    [
      driven(opponentName, opponent),
      { ...driven('Lockyard', ours), after: () => untilRecorded(runtime) },
    ],
    [{ over: opponentName, atLeast: 7.5, aim: 11 }],
    rounds,
  );
  await ours.close();
  await opponent.close();
  await lock.close();
  await close();
}

/**
 * Keeps the records of one namespace's locks in memory, to measure the code above a store. It keeps
 * no history and no answers.
 */
class MemoryStore implements RecordStore {
  /** By name. */
  private readonly records = new Map<string, StoredRecord>();

  async read(keys: RecordKey[]): Promise<ReadResult> {
    const now = Date.now();
    const record = ({ name }: RecordKey) => this.records.get(name) ?? null;
    return { records: keys.map((key) => ({ key, record: record(key), now })), storedAnswers: [] };
  }

  async swap(changes: Change[]): Promise<SwapResult[]> {
    const now = Date.now();
    return changes.map(({ key, expect, clock, rev, writer, head, queue }) => {
      const kept = this.records.get(key.name) ?? null;
      const isExpected = kept?.rev === expect?.rev && kept?.writer === expect?.writer;
      if (!isExpected || now < clock.past || now >= clock.ahead) {
        return { applied: false, now, current: kept };
      }
      this.records.set(key.name, { rev, writer, head, queue: queue ?? kept?.queue ?? '' });
      return { applied: true, now, current: { rev, writer } };
    });
  }

  async swapAll(): Promise<SwapResult[]> {
    throw new Error('Nothing that is measured here takes several locks at once.');
  }

  async scan() {
    return { records: [], next: null };
  }

  async deleteRecords() {
    return [];
  }

  async deleteExpiredAnswers() {}

  async guarantees() {
    return {
      level: 'Best-effort' as const,
      reasons: ['It keeps nothing.'],
      settings: [],
      unsafe: null,
    };
  }

  async close() {}
}
