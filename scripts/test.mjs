import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { nodeComplaint } from './process/start-requirements.mjs';

/**
 * `npm test`: sets up what the tests need and runs all of them; the last line sums up all suites,
 * below the names of failed and skipped tests. `npm test -- <words>` runs only the vitest files
 * whose path contains one of the words, `npm test -- --e2e <words>` only such Playwright files.
 * `npm run test:long` runs the random campaigns and races over the stores, a hot lock and the
 * simulator at their full length, what is decided above the stores over every one of them, a frozen
 * server under a race of the Lab, every bad day of a shard, every proxy that the docs have a
 * configuration for, a real Galera, Prometheus and Alertmanager, the package as npm publishes and
 * runs it, the clients in all languages, clients that other tools generate, traces in a Jaeger,
 * other versions of Node, an installation from nothing, two servers of which one dies or is
 * upgraded, bad days with a page open, each page in both themes and in another time zone, the API
 * reference, the steps of the Containerfile, and the browser tests with the tag `@long`. A suite
 * whose programs cannot be installed is left out, and named.
 */
async function test() {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint) throw new PlainFailure(complaint);
  const { endInOrder } = await import('./process/run-child.mjs');
  const { makeToolsReady } = await import('./build/make-ready.mjs');
  const { projectRoot } = await import('./project-root.mjs');
  const { LONG_PAGES, LONG_SUITES } = await import('./suites/long-suites.mjs');
  const { runSuites } = await import('./suites/run-suites.mjs');

  const [first, ...rest] = process.argv.slice(2);
  const say = (line) => process.stdout.write(`${line}\n`);
  process.chdir(projectRoot);
  endInOrder();
  await makeToolsReady(say);
  const isLong = first === '--long';
  if (isLong) process.env.TEST_LONG = '1';
  const only = first === undefined ? null : first === '--e2e' ? 'e2e' : 'vitest';
  const filters = only === 'vitest' ? [...(isLong ? LONG_SUITES : [first]), ...rest] : rest;
  const runs = [{ only, filters }, ...(isLong ? [{ only: 'e2e', filters: LONG_PAGES }] : [])];
  let isOk = true;
  for (const run of runs) {
    const { line, ok, failures, skips, leftOut } = await runSuites({ ...run, say });
    for (const name of skips) say(`\nSkipped: ${name}`);
    for (const { suite, why } of leftOut) say(`\nLeft out: ${suite}: ${why}`);
    for (const name of failures) say(`\nFailed: ${name}`);
    say(`\n${line}`);
    isOk &&= ok;
  }
  process.exit(isOk ? 0 : 1);
}

test().catch(endWith);
