import type { BenchLock } from '../bench-lock';
import { freshDatabase } from '../fresh-database';
import { median } from '../median';
import { type LoopFigures, timedLoop } from '../processes/timed-loop';
import { openWholeLockyard } from '../processes/whole-lockyard';
import { warmedUp } from '../race';
import { figure, markdownTable } from '../report/markdown-table';
import type { PerformancePage } from '../report/performance-page';
import { openDurableCommits, openGetLock, openRowLock, openUpsertLease } from './mariadb-locks';
import { openRedisSemaphore, openRedlock } from './redis-locks';

const NAMES = Array.from({ length: 10_000 }, (_, i) => `lock-${i}`);
const CONNECTIONS = 50;
const CALLERS = [50, 500];

const randomName = () => NAMES[Math.floor(Math.random() * NAMES.length)] ?? '';

interface Way {
  lock: BenchLock;
  /** What this lock guarantees and what it does not. */
  guarantees: string;
}

/** Ways to lock on one store; the last of them is Lockyard. */
interface Store {
  name: string;
  ways: Way[];
}

/** The medians of one alternative's rounds. */
interface Summary {
  perSecond: number;
  /** The ratio of its rate to Lockyard's on the same store. */
  ratio: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Compares Lockyard with its alternatives on MariaDB and on Redis: their rates, times and
 * guarantees. In every round, each of them runs once.
 *
 * @param servers the URLs; that of MariaDB names no database
 * @param page the page that shows the table; null: the table is only printed
 */
export async function compareAlternatives(
  servers: { mysql: string; redis: string },
  times: { rounds: number; roundMs: number },
  page: PerformancePage | null,
): Promise<void> {
  const stores = [await openOnMariadb(servers.mysql), await openOnRedis(servers.redis)];
  const summaries = new Map<BenchLock, Summary[]>();
  for (const callers of CALLERS) {
    const measured = await measure(stores, callers, times);
    for (const { name, ways } of stores) {
      console.log(`${name}: acquire + release, random of 10,000 names, ${callers} callers`);
      const ours = measured.get((ways.at(-1) as Way).lock) ?? [];
      for (const { lock, guarantees } of ways) {
        const summary = summaryOf(measured.get(lock) ?? [], ours);
        summaries.set(lock, [...(summaries.get(lock) ?? []), summary]);
        console.log(`  ${lock.name}: ${cellsOf(summary).join(', ')}. ${guarantees}`);
      }
    }
  }
  for (const { lock } of stores.flatMap(({ ways }) => ways)) await lock.close();
  await page?.write('alternatives', times, [
    ...markdownTable(
      ['', ...CALLERS.flatMap((callers) => [`${callers} callers`, 'to Lockyard', 'p50, p99'])],
      stores.flatMap(({ name, ways }) =>
        ways.map(({ lock }) => [
          `${name}: ${lock.name}`,
          ...(summaries.get(lock) ?? []).flatMap(cellsOf),
        ]),
      ),
    ),
    '',
    ...stores.flatMap(({ ways }) =>
      ways.map(({ lock, guarantees }) => `- **${lock.name}**: ${guarantees}`),
    ),
  ]);
}

async function measure(
  stores: Store[],
  callers: number,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<Map<BenchLock, LoopFigures[]>> {
  const measured = new Map<BenchLock, LoopFigures[]>();
  for (const isCounted of warmedUp(rounds)) {
    for (const { lock } of stores.flatMap(({ ways }) => ways)) {
      const figures = await timedLoop(lock, { callers, nextLock: randomName }, roundMs);
      await lock.recorded?.();
      if (isCounted) measured.set(lock, [...(measured.get(lock) ?? []), figures]);
    }
  }
  return measured;
}

function summaryOf(theirs: LoopFigures[], ours: LoopFigures[]): Summary {
  const ratios = theirs.map(({ perSecond }, i) => perSecond / (ours[i]?.perSecond ?? Number.NaN));
  return {
    perSecond: median(theirs.map(({ perSecond }) => perSecond)),
    ratio: median(ratios),
    p50Ms: median(theirs.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(theirs.map(({ p99Ms }) => p99Ms)),
  };
}

const cellsOf = ({ perSecond, ratio, p50Ms, p99Ms }: Summary) => [
  `${figure(perSecond)} /s`,
  `${figure(ratio)} ×`,
  `${figure(p50Ms)}, ${figure(p99Ms)} ms`,
];

async function openOnMariadb(server: string): Promise<Store> {
  const place = async (name: string) => ({
    url: await freshDatabase(server, `bench_${name}`),
    connections: CONNECTIONS,
  });
  const { url } = await place('whole');
  return {
    name: 'MariaDB',
    ways: [
      {
        lock: openGetLock(await place('get_lock')),
        guarantees:
          'a queue in the server. Not durable; no lease, token or history. It ends with its ' +
          'connection, and each holder and each waiter has one to itself.',
      },
      {
        lock: await openRowLock(await place('for_update'), NAMES),
        guarantees:
          'a queue in the server, and it commits with the data. Not durable; no lease, token or ' +
          'history. It ends with its connection, one for each holder and each waiter.',
      },
      {
        lock: await openUpsertLease(await place('upsert')),
        guarantees:
          'a durable lease that survives its connection. No token, no queue (a refused caller ' +
          'polls), no history.',
      },
      {
        lock: await openDurableCommits(await place('commits'), NAMES),
        guarantees:
          'no lock: one commit each, as the limit for whatever commits each step by itself. A ' +
          'lock needs two, one to take it and one to give it back.',
      },
      {
        lock: await openWholeLockyard({ databaseUrl: url }),
        guarantees: 'durable; lease, token, queue and history; survives its connection.',
      },
    ],
  };
}

async function openOnRedis(server: string): Promise<Store> {
  return {
    name: 'Redis',
    ways: [
      {
        lock: openRedlock(server),
        guarantees:
          'a lease that survives its connection, here on one Redis. No token, no queue, no ' +
          'history; as durable as Redis is set up.',
      },
      {
        lock: openRedisSemaphore(server),
        guarantees:
          'a lease that survives its connection and that its process renews. No token, no queue, ' +
          'no history; as durable as Redis is set up.',
      },
      {
        lock: await openWholeLockyard({ backendUrl: server }),
        guarantees:
          'lease, token, queue and history; survives its connection; ' +
          'as durable as Redis is set up.',
      },
    ],
  };
}
