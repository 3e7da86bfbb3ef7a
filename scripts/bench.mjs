import { join } from 'node:path';
import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { nodeComplaint } from './process/start-requirements.mjs';

/**
 * `npm run bench`: runs bench/main.ts, bundled like the server, against servers of its own: a
 * MariaDB that flushes every commit, a Redis that keeps everything in memory, a ZooKeeper. Their
 * URLs are in BENCH_MYSQL_URL (without a database), BENCH_REDIS_URL and BENCH_ZOOKEEPER_URL; set
 * one to measure another server. The case "commits" uses a MariaDB with a binary log,
 * BENCH_LOGGED_MYSQL_URL. Arguments are passed on.
 *
 * `npm run bench -- catalogue` measures only the strategies of the catalogue.
 *
 * `npm run bench -- lone alternatives growth --write` measures a lone caller, the alternatives to
 * Lockyard and how costs grow, and writes the tables and pictures of docs/performance.md.
 *
 * `npm run bench -- sizes` measures how much disk and RAM one lock, event and audit entry takes.
 *
 * `npm run bench -- looking` measures what readers of the console cost callers of locks, on the
 * built server with embedded SQLite; `npm run bench -- screen` what the lock list of the demo costs
 * a browser.
 */
async function bench() {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint) throw new PlainFailure(complaint);
  const { makeAppReady, makeToolsReady } = await import('./build/make-ready.mjs');
  const { projectRoot } = await import('./project-root.mjs');
  const { ensureStores } = await import('./suites/test-needs.mjs');
  const { startStores } = await import('./servers/start-stores.mjs');
  const { startPrivateMariadb } = await import('./servers/private-mariadb.mjs');
  const { startPrivateRedis } = await import('./servers/private-redis.mjs');
  const { startPrivateZookeeper } = await import('./servers/private-zookeeper.mjs');
  const { benchPrograms, bundle } = await import('./build/bundle.mjs');
  const { labEntries } = await import('./build/build-app.mjs');
  const { endInOrder, runChild } = await import('./process/run-child.mjs');

  const say = (line) => process.stdout.write(`${line}\n`);
  process.chdir(projectRoot);
  endInOrder();
  if (process.argv.includes('screen')) {
    const { measureScreen } = await import('./suites/measure-screen.mjs');
    return measureScreen(say);
  }
  const isLooking = process.argv.includes('looking');
  const words = process.argv.slice(2).filter((word) => Number.isNaN(Number(word)));
  const measuresCommits = words.length === 0 || words.includes('commits');
  await (isLooking ? makeAppReady(say, { withDev: true }) : makeToolsReady(say));
  if (!isLooking) await ensureStores('BENCH', say);
  const { urls, stop } = await startStores(
    isLooking
      ? {}
      : {
          BENCH_MYSQL_URL: () => startPrivateMariadb({ durable: true }),
          BENCH_REDIS_URL: startPrivateRedis,
          BENCH_ZOOKEEPER_URL: startPrivateZookeeper,
          ...(measuresCommits && {
            BENCH_LOGGED_MYSQL_URL: () => startPrivateMariadb({ durable: true, binaryLog: true }),
          }),
        },
  );
  await bundle({ ...benchPrograms, ...labEntries }, '.build/bench');
  const program = join(projectRoot, '.build/bench/main.mjs');
  const { code } = await runChild(
    process.execPath,
    [...process.execArgv, program, ...process.argv.slice(2)],
    {
      cwd: projectRoot,
      env: { ...process.env, NODE_ENV: 'production', ...urls },
      show: true,
    },
  );
  await stop();
  process.exit(code);
}

bench().catch(endWith);
