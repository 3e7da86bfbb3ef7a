import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChild } from '../process/run-child.mjs';
import { projectRoot } from '../project-root.mjs';
import { startPrivateMariadb } from '../servers/private-mariadb.mjs';
import { startPrivateRedis } from '../servers/private-redis.mjs';
import { startPrivateZookeeper } from '../servers/private-zookeeper.mjs';
import { startStores } from '../servers/start-stores.mjs';
import { chromiumPath } from '../system/find-program.mjs';
import {
  ensureAllTestNeeds,
  ensureBrowserTestNeeds,
  ensureLongTestNeeds,
  ensureStores,
} from './test-needs.mjs';
import { checkTally, playwrightTally, sumUp, vitestTally } from './test-tally.mjs';

/** Test databases are created faster without a file, and its flushes, per table. */
const QUICK_TABLES = ['--innodb-file-per-table=0', '--loose-debug-no-sync'];

const ERROR_REPORTER = '--reporter=./scripts/suites/report-with-errors.mjs';

const NOTHING_RAN = { code: 0, tally: null };

/** The variables by which the tests find their servers. */
const TEST_STORES = {
  TEST_MYSQL_URL: () => startPrivateMariadb({ durable: false, settings: QUICK_TABLES }),
  TEST_REDIS_URL: startPrivateRedis,
  TEST_ZOOKEEPER_URL: () => startPrivateZookeeper({ settings: ['forceSync=no'] }),
};

/**
 * Runs the suites (`only` one of them, or all if null) and returns `{ line, ok, failures, skips,
 * leftOut }`. `leftOut`: the suites of `filters` whose needs are not met, each as `{ suite, why }`.
 */
export async function runSuites({ only, filters, say }) {
  const reports = mkdtempSync(join(tmpdir(), 'lockyard-reports-'));
  process.once('exit', () => rmSync(reports, { recursive: true, force: true }));
  process.env.MARIADB_INSTALLED = join(reports, 'mariadb');
  const checks = only === null ? runCheckSuite(reports, say) : null;
  const unmet = await ensureNeeds(only, say);
  const leftOut = unmet.filter(({ suite }) => filters.includes(suite));
  const wanted = filters.filter((filter) => !leftOut.some(({ suite }) => suite === filter));
  // Without any filter, everything would run.
  if (wanted.length === 0 && leftOut.length > 0) return { ...sumUp([NOTHING_RAN]), leftOut };
  const build = only === 'vitest' ? null : buildForTests(checks);
  const vitest = only === 'e2e' ? [] : [await runVitest(reports, wanted, say)];
  const suites = checks ? [await checks, ...vitest] : vitest;
  if (build) suites.push(await runPlaywright(reports, wanted, { say, build }));
  return { ...sumUp(suites), leftOut };
}

/**
 * Runs a program of ours at the lowest priority: it uses only the time that installations and the
 * first tests leave idle, and does not slow down tests that measure time.
 */
const inIdleTime = (script, { args = [], show = false } = {}) =>
  runChild('nice', ['-n', '19', process.execPath, join(projectRoot, script), ...args], {
    cwd: projectRoot,
    show,
  });

/**
 * Resolves to null, or to one line on why there is no build. It begins after the checks, which
 * write and read files of Next too.
 */
async function buildForTests(checks) {
  await checks;
  const { code } = await inIdleTime('scripts/build.mjs', { show: true });
  return code === 0 ? null : 'Lockyard could not be built: see above.';
}

/**
 * Installs all needs in one step if all suites run: one call of the package manager instead of two.
 * The end-to-end tests freeze and kill a MariaDB, so they use one of their own. Returns the long
 * suites whose needs are not met.
 */
async function ensureNeeds(only, say) {
  if (only === null) await ensureAllTestNeeds(say);
  else if (only === 'e2e') await ensureBrowserTestNeeds(say);
  else {
    await ensureStores('TEST', say);
    if (process.env.TEST_LONG === '1') return ensureLongTestNeeds(say);
  }
  return [];
}

/** What the checks say is shown in one piece at their end, for tests run meanwhile. */
async function runCheckSuite(reports, say) {
  const report = join(reports, 'checks.json');
  const { code, output } = await inIdleTime('scripts/check.mjs', { args: [report] });
  say(`\n— check —\n${output}`);
  return { code, tally: checkTally(report) };
}

async function runVitest(reports, filters, say) {
  say('\n— unit and integration tests —');
  const { urls, stop } = await startStores(TEST_STORES);
  const report = join(reports, 'vitest.json');
  try {
    const { code } = await tool(
      'vitest/vitest.mjs',
      ['run', '--reporter=default', ERROR_REPORTER, `--outputFile.json=${report}`, ...filters],
      urls,
    );
    return { code, tally: vitestTally(report) };
  } finally {
    await stop();
  }
}

async function runPlaywright(reports, filters, { say, build }) {
  const complaint = await build;
  say('\n— end-to-end tests, against the built server —');
  if (complaint !== null) {
    say(complaint);
    return { code: 1, tally: null };
  }
  const report = join(reports, 'playwright.json');
  const { code } = await tool(
    'playwright/cli.js',
    ['test', '--config=e2e/playwright.config.ts', '--reporter=list,json', ...filters],
    { CHROMIUM_PATH: chromiumPath(), PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  );
  return { code, tally: playwrightTally(report) };
}

const tool = (path, args, variables) =>
  runChild(process.execPath, [join(projectRoot, 'node_modules', path), ...args], {
    cwd: projectRoot,
    env: { ...process.env, ...variables },
    show: true,
  });
