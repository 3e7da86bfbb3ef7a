import { raceOnMariadb } from './mariadb-works';
import { raceOnRedis } from './redis-works';
import { raceOnZookeeper } from './zookeeper-works';

const given = process.argv.slice(2);
const [rounds = 5, roundMs = 2_500] = given.map(Number).filter((value) => !Number.isNaN(value));
/** Named on the command line; all if none is. */
const stores = given.filter((word) => Number.isNaN(Number(word)));

/** A server that `npm run bench` has started, or that the environment names. */
function serverIn(variable: string): string {
  const url = process.env[variable];
  if (!url) throw new Error(`${variable} is not set; run the bench by \`npm run bench\`.`);
  return url;
}

console.log(
  `${rounds} rounds of ${roundMs} ms each, interleaved; medians. Only the ratios are claims.`,
);
const STORES = {
  mariadb: () => raceOnMariadb(serverIn('BENCH_MYSQL_URL'), { rounds, roundMs }),
  redis: () => raceOnRedis(serverIn('BENCH_REDIS_URL'), { rounds, roundMs }),
  zookeeper: () => raceOnZookeeper(serverIn('BENCH_ZOOKEEPER_URL'), { rounds, roundMs }),
};
for (const [name, raceOn] of Object.entries(STORES)) {
  if (stores.length === 0 || stores.includes(name)) await raceOn();
}
