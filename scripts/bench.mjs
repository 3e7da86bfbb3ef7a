import { join } from 'node:path';
import { nodeComplaint } from './node-complaint.mjs';
import { endWith, PlainFailure } from './plain-failure.mjs';

/**
 * `npm run bench`: runs bench/main.ts, bundled as the server is, against a MariaDB of its own that flushes every commit. Its URL, without a
 * database, is in BENCH_MYSQL_URL; set that yourself to measure another server. Arguments are passed on.
 */
async function bench() {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint) throw new PlainFailure(complaint);
  const { makeToolsReady } = await import('./make-ready.mjs');
  const { projectRoot } = await import('./project-root.mjs');
  const { ensureMariadb } = await import('./test-needs.mjs');
  const { startPrivateMariadb } = await import('./private-mariadb.mjs');
  const { bundle } = await import('./bundle.mjs');
  const { endInOrder, runChild } = await import('./run-child.mjs');

  const say = (line) => process.stdout.write(`${line}\n`);
  process.chdir(projectRoot);
  endInOrder();
  await makeToolsReady(say);
  const given = process.env.BENCH_MYSQL_URL;
  if (!given) await ensureMariadb(say);
  const server = given ? null : await startPrivateMariadb({ durable: true });
  await bundle({ main: 'bench/main.ts', 'http-load': 'bench/http-load.ts' }, '.build/bench');
  const program = join(projectRoot, '.build/bench/main.mjs');
  const { code } = await runChild(process.execPath, [program, ...process.argv.slice(2)], {
    cwd: projectRoot,
    env: { ...process.env, NODE_ENV: 'production', BENCH_MYSQL_URL: given ?? server.url },
    show: true,
  });
  await server?.stop();
  process.exit(code);
}

bench().catch(endWith);
