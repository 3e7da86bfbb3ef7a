import { raceOnMariadb } from './mariadb-works';

const [rounds = 5, roundMs = 2_500] = process.argv.slice(2).map(Number);

/** A server that `npm run bench` has started, or that the environment names. */
function serverIn(variable: string): string {
  const url = process.env[variable];
  if (!url) throw new Error(`${variable} is not set; run the bench by \`npm run bench\`.`);
  return url;
}

console.log(
  `${rounds} rounds of ${roundMs} ms each, interleaved; medians. Only the ratios are claims.`,
);
await raceOnMariadb(serverIn('BENCH_MYSQL_URL'), { rounds, roundMs });
