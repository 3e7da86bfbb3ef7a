import { compareAlternatives } from './alternatives/compare-alternatives';
import { benchAcquisitions, benchStock } from './catalogue/bench-catalogue';
import { measureCommitCost } from './commit-cost';
import { freshDatabase } from './fresh-database';
import { raceGate } from './gate-counters';
import { measureGrowth } from './growth/measure-growth';
import { raceHistory } from './history-cost';
import { runHttpRace } from './http/run-http-race';
import { raceLoneCallers } from './lone/race-lone-callers';
import { labCases } from './looking/lab-cases';
import { listCases } from './looking/list-cases';
import type { LookingCase } from './looking/looking-case';
import { FAIR_SHARE, measureFairShare } from './looking/measure-fair-share';
import { measureLists } from './looking/measure-lists';
import { measureLooking } from './looking/measure-looking';
import { pageCases } from './looking/page-cases';
import { watchCases } from './looking/watch-cases';
import { racePermits } from './permits';
import { raceOnMariadb } from './race-on-mariadb';
import { raceOnRedis } from './race-on-redis';
import { raceOnZookeeper } from './race-on-zookeeper';
import { raceRefusals } from './refused-attempts';
import { type PerformancePage, performancePage } from './report/performance-page';
import { serverVersions } from './report/server-versions';
import { raceRequestIds } from './request-ids';
import { measureSizes } from './sizes';

/** Every case of `npm run bench -- looking`, in the order in which they are measured. */
const lookingCases: LookingCase[] = [...pageCases, ...listCases, ...watchCases, ...labCases];

const WRITE = '--write';
const given = process.argv.slice(2).filter((word) => word !== WRITE);
const numbers = given.map(Number).filter((value) => !Number.isNaN(value));
/** The cases named on the command line; all if none is. */
const words = given.filter((word) => Number.isNaN(Number(word)));

/** A server that `npm run bench` has started, or that the environment names. */
function serverIn(variable: string): string {
  const url = process.env[variable];
  if (!url) throw new Error(`${variable} is not set; run the bench by \`npm run bench\`.`);
  return url;
}

/** Measurements that several cases share. */
const mysqlAndRedis = () => ({
  mysql: serverIn('BENCH_MYSQL_URL'),
  redis: serverIn('BENCH_REDIS_URL'),
});

/** With `--write` on the command line, the page that shows these figures. */
async function pageToWrite(): Promise<PerformancePage | null> {
  return process.argv.includes(WRITE)
    ? performancePage(await serverVersions(mysqlAndRedis()))
    : null;
}

/** Ends the program if a word on the command line names no case. */
function requireKnown(wanted: string[], isKnown: (word: string) => boolean, names: string[]): void {
  const unknown = wanted.find((word) => !isKnown(word));
  if (unknown === undefined) return;
  console.error(`There is no case "${unknown}". There are: ${names.join('; ')}.`);
  process.exit(2);
}

async function raceStores(): Promise<void> {
  const [rounds = 5, roundMs = 2_500] = numbers;
  const times = { rounds, roundMs };
  const page = await pageToWrite();
  const CASES = {
    mariadb: () => raceOnMariadb(serverIn('BENCH_MYSQL_URL'), { rounds, roundMs }),
    handlers: () => runHttpRace({ name: 'handlers', rounds, roundMs }),
    permits: () => racePermits(serverIn('BENCH_MYSQL_URL'), { rounds, roundMs }),
    refusals: () => raceRefusals(serverIn('BENCH_MYSQL_URL'), { rounds, roundMs }),
    commits: () => measureCommitCost(serverIn('BENCH_LOGGED_MYSQL_URL'), { rounds, roundMs }),
    history: () => raceHistory(serverIn('BENCH_MYSQL_URL'), { rounds, roundMs }),
    redis: () => raceOnRedis(serverIn('BENCH_REDIS_URL'), { rounds, roundMs }),
    zookeeper: () => raceOnZookeeper(serverIn('BENCH_ZOOKEEPER_URL'), { rounds, roundMs }),
    lone: () => raceLoneCallers(mysqlAndRedis(), times, page),
    alternatives: () => compareAlternatives(mysqlAndRedis(), times, page),
    requests: () => raceRequestIds(mysqlAndRedis(), times),
    growth: () => measureGrowth(serverIn('BENCH_MYSQL_URL'), times, page),
    catalogue: benchCatalogue,
    sizes: () => measureSizes(serverIn('BENCH_MYSQL_URL')),
    async gate() {
      const server = serverIn('BENCH_MYSQL_URL');
      const database = await freshDatabase(server, 'bench_gate');
      const redis = serverIn('BENCH_REDIS_URL');
      await raceGate({ server, database, redis }, { rounds, roundMs });
    },
  };
  requireKnown(words, (word) => Object.hasOwn(CASES, word), [...Object.keys(CASES), 'looking']);
  console.log(
    `${rounds} rounds of ${roundMs} ms each, interleaved; medians. Only the ratios are claims.`,
    'The limit on calls a second is lifted.',
  );
  for (const [name, raceOn] of Object.entries(CASES)) {
    if (words.length === 0 || words.includes(name)) await raceOn();
  }
}

/** The same strategies as in the Lab. */
async function benchCatalogue(): Promise<void> {
  const mysql = serverIn('BENCH_MYSQL_URL');
  const redis = [serverIn('BENCH_REDIS_URL')];
  await benchAcquisitions(mysql);
  await benchStock({ mysql, redis, zookeeper: serverIn('BENCH_ZOOKEEPER_URL') });
}

/** Further words select cases by parts of their names. */
async function measureLookingCases(): Promise<void> {
  const [rounds = 3, roundMs = 30_000] = numbers;
  const wanted = words.filter((word) => word !== 'looking');
  const names = [...lookingCases.map(({ name }) => name), FAIR_SHARE];
  const isKnown = (word: string) => word === 'lists' || names.some((name) => name.includes(word));
  requireKnown(wanted, isKnown, [...names, 'lists']);
  const cases = lookingCases.filter(
    ({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
  );
  console.log(
    `Beside each: 64 callers with a lock each, which acquire and release another every 250 ms.`,
    `${rounds} runs of ${roundMs} ms quiet, case, quiet; medians.`,
  );
  await measureLooking(cases, { rounds, roundMs });
  if (wanted.length === 0 || wanted.some((word) => FAIR_SHARE.includes(word))) {
    await measureFairShare({ rounds, roundMs });
  }
  if (wanted.length === 0 || wanted.includes('lists')) await measureLists();
}

// The handlers of `exit` end all programs that were started.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
await (words.includes('looking') ? measureLookingCases() : raceStores());
