import { freshDatabase } from '../fresh-database';
import { openWholeLockyard, type WholePlace } from '../processes/whole-lockyard';
import { figure, markdownTable } from '../report/markdown-table';
import type { PerformancePage } from '../report/performance-page';
import { type BareWrite, openMariadbUpdate, openRedisSet, openSqliteUpdate } from './bare-writes';
import { openHttpCaller } from './http-caller';
import { type LoneTimes, NAMES, raceLoneCaller } from './lone-caller';

interface Contest {
  store: string;
  place: WholePlace;
  write: BareWrite;
  timesAtMost: number;
}

/** How long one call takes on each store when nothing else happens. */
export async function raceLoneCallers(
  servers: { mysql: string; redis: string },
  times: { rounds: number; roundMs: number },
  page: PerformancePage | null,
): Promise<void> {
  const { mysql, redis } = servers;
  const contests: Contest[] = [
    {
      store: 'MariaDB',
      place: { databaseUrl: await freshDatabase(mysql, 'bench_lone') },
      write: await openMariadbUpdate(await freshDatabase(mysql, 'bench_lone_update'), NAMES),
      timesAtMost: 2,
    },
    { store: 'SQLite', place: {}, write: await openSqliteUpdate(NAMES), timesAtMost: 1.5 },
    {
      store: 'Redis',
      place: { backendUrl: redis },
      write: await openRedisSet(redis),
      timesAtMost: 2,
    },
  ];
  const rows: string[][] = [];
  for (const contest of contests) rows.push(rowOf(contest.store, await raceOne(contest, times)));
  await page?.write('lone', times, markdownTable(HEADS, rows));
}

const HEADS = [
  'p50, ms',
  'one write',
  'acquire',
  'release',
  'acquire with a request id',
  'release with a request id',
  'acquire over HTTP',
  'release over HTTP',
];

function rowOf(store: string, times: LoneTimes): string[] {
  const { write, acquire, release } = times;
  const withId = (step: 'acquire' | 'release') => times[`${step} with an id`];
  const over = (step: 'acquire' | 'release') => times[`${step} over HTTP`];
  return [
    store,
    figure(write),
    `${figure(acquire)} (${figure(acquire / write)} ×)`,
    `${figure(release)} (${figure(release / write)} ×)`,
    `${figure(withId('acquire'))} (${figure(withId('acquire') / write)} ×)`,
    `${figure(withId('release'))} (${figure(withId('release') / write)} ×)`,
    `${figure(over('acquire'))} (+ ${figure(over('acquire') - acquire)})`,
    `${figure(over('release'))} (+ ${figure(over('release') - release)})`,
  ];
}

async function raceOne(
  { store, place, write, timesAtMost }: Contest,
  times: { rounds: number; roundMs: number },
): Promise<LoneTimes> {
  const lockyard = await openWholeLockyard(place);
  const http = await openHttpCaller(lockyard);
  const result = await raceLoneCaller({ store, lockyard, http, write, timesAtMost }, times);
  await http.close();
  await lockyard.close();
  await write.close();
  return result;
}
