import { join } from 'node:path';
import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { nodeComplaint } from './process/start-requirements.mjs';

const SERVERS = /^LOCKYARD_LAB_(MYSQL|REDIS|ZOOKEEPER)_URL/;

/**
 * `npm run lab`: races the strategies of the catalogue and prints a table. It runs on the servers
 * that LOCKYARD_LAB_MYSQL_URL, LOCKYARD_LAB_REDIS_URL and LOCKYARD_LAB_ZOOKEEPER_URL name; if none
 * is named, on private ones that it starts and removes. Arguments: scripts/lab/lab-command.ts.
 */
async function lab() {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint) throw new PlainFailure(complaint);
  const { makeToolsReady } = await import('./build/make-ready.mjs');
  const { labEntries } = await import('./build/build-app.mjs');
  const { bundle } = await import('./build/bundle.mjs');
  const { projectRoot } = await import('./project-root.mjs');
  const { endInOrder, runChild } = await import('./process/run-child.mjs');

  // Only the table goes to standard output.
  const say = (line) => process.stderr.write(`${line}\n`);
  process.chdir(projectRoot);
  endInOrder();
  await makeToolsReady(say);
  await bundle({ 'lab-command': 'scripts/lab/lab-command.ts', ...labEntries }, '.build/lab');
  const program = join(projectRoot, '.build/lab/lab-command.mjs');
  const run = (args, servers) =>
    runChild(process.execPath, [program, ...args], {
      cwd: projectRoot,
      env: { ...process.env, NODE_ENV: 'production', ...servers },
      show: true,
    });
  const args = process.argv.slice(2);
  // Mistakes are reported before any server is started.
  const checked = await run(['--check', ...args], {});
  if (checked.code !== 0) process.exit(checked.code === CHECKED_ONLY ? 0 : checked.code);
  const isNamed = Object.entries(process.env).some(([name, value]) => SERVERS.test(name) && value);
  const { urls, stop } = isNamed ? { urls: {}, stop: async () => {} } : await startAll(say);
  const { code } = await run(args, urls);
  await stop();
  process.exit(code);
}

/** The exit code of a check after which nothing is left to do, as for `--help`. */
const CHECKED_ONLY = 10;

/** A MariaDB, three Redis for the quorum, and a ZooKeeper. */
async function startAll(say) {
  const { ensureStores } = await import('./suites/test-needs.mjs');
  const { startStores } = await import('./servers/start-stores.mjs');
  const { startPrivateMariadb } = await import('./servers/private-mariadb.mjs');
  const { startPrivateRedis } = await import('./servers/private-redis.mjs');
  const { startPrivateZookeeper } = await import('./servers/private-zookeeper.mjs');
  await ensureStores('LOCKYARD_LAB', say);
  say('No server is named in LOCKYARD_LAB_…_URL: starting private ones.');
  const { urls, stop } = await startStores({
    LOCKYARD_LAB_MYSQL_URL: () => startPrivateMariadb({ durable: true }),
    LOCKYARD_LAB_REDIS_URL: startPrivateRedis,
    'second Redis': startPrivateRedis,
    'third Redis': startPrivateRedis,
    LOCKYARD_LAB_ZOOKEEPER_URL: startPrivateZookeeper,
  });
  const redis = [urls.LOCKYARD_LAB_REDIS_URL, urls['second Redis'], urls['third Redis']];
  return {
    urls: {
      LOCKYARD_LAB_MYSQL_URL: urls.LOCKYARD_LAB_MYSQL_URL,
      LOCKYARD_LAB_REDIS_URL: redis.join(','),
      LOCKYARD_LAB_ZOOKEEPER_URL: urls.LOCKYARD_LAB_ZOOKEEPER_URL,
    },
    stop,
  };
}

lab().catch(endWith);
