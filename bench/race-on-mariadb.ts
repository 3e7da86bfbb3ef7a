import type { BenchLock } from './bench-lock';
import { closedLoop, type Load } from './closed-loop';
import { freshDatabase } from './fresh-database';
import { lockyardQueue, openRowQueue, polledQueue, raceQueues } from './hand-off';
import { openLockyardCounter, openRowCounter, raceCounters } from './hot-counter';
import { runHttpRace } from './http/run-http-race';
import { raceLongQueue } from './long-queue';
import { raceProcesses } from './processes/race-processes';
import { openWholeLockyard } from './processes/whole-lockyard';
import { race } from './race';
import { openSegmentedLock } from './segmented-lock';

const NAMES = 10_000;
const CONNECTIONS = 50;

interface Workload {
  title: string;
  load: Load;
  atLeast: number;
  aim: number;
}

const randomName = () => `lock-${Math.floor(Math.random() * NAMES)}`;

const WORKLOADS: Workload[] = [
  {
    title: 'acquire + release, random of 10,000 names, 50 callers',
    load: { callers: 50, nextLock: randomName, counts: 'cycles' },
    atLeast: 3.2,
    aim: 4.5,
  },
  {
    title: 'acquire + release, random of 10,000 names, 500 callers',
    load: { callers: 500, nextLock: randomName, counts: 'cycles' },
    atLeast: 6,
    aim: 8,
  },
  {
    title: '50 callers trying one hot name',
    load: { callers: 50, nextLock: () => 'hot', counts: 'attempts' },
    atLeast: 35,
    aim: 60,
  },
];

/**
 * Measures every kind of work on a MariaDB, the last over HTTP. Lockyard runs as in a server, with
 * history.
 *
 * @param server a URL without a database
 */
export async function raceOnMariadb(
  server: string,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<void> {
  const opponent = await openSegmentedLock(
    await freshDatabase(server, 'bench_opponent'),
    CONNECTIONS,
  );
  const ours = await openWholeLockyard({
    databaseUrl: await freshDatabase(server, 'bench_lockyard'),
  });
  for (const { title, load, ...bar } of WORKLOADS) {
    const contestant = (lock: BenchLock) => ({
      name: lock.name,
      run: () => closedLoop(lock, load, roundMs),
      after: lock.recorded,
    });
    await race(
      `MariaDB: ${title}`,
      [contestant(opponent), contestant(ours)],
      [{ over: opponent.name, ...bar }],
      rounds,
    );
  }
  const row = await openRowQueue(await freshDatabase(server, 'bench_row_turns'));
  const asDescribed = await openSegmentedLock(
    await freshDatabase(server, 'bench_opponent_as_described'),
    CONNECTIONS,
    { releasesUnderSegment: true },
  );
  await raceQueues(
    {
      polled: polledQueue(asDescribed),
      polledWell: polledQueue(opponent),
      row,
      ours: lockyardQueue(ours),
    },
    { rounds, roundMs },
  );
  await raceLongQueue('MariaDB', ours, rounds);
  await asDescribed.close();
  await row.close();
  await opponent.close();
  await ours.close();
  await raceProcesses(server, { rounds, roundMs });

  const rowCounter = await openRowCounter(
    await freshDatabase(server, 'bench_opponent_counter'),
    CONNECTIONS,
  );
  const counter = await openLockyardCounter(await freshDatabase(server, 'bench_lockyard_counter'));
  await raceCounters(rowCounter, counter, { rounds, roundMs });
  await rowCounter.close();
  await counter.close();

  await runHttpRace({
    name: 'end to end',
    rounds,
    roundMs,
    opponent: await freshDatabase(server, 'bench_opponent_http'),
    ours: await freshDatabase(server, 'bench_lockyard_http'),
  });
}
