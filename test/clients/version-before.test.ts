import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TYPESCRIPT, typescriptOf } from './languages';
import { ScenarioBench } from './scenario-bench';
import { SCENARIOS } from './scenarios/all-scenarios';
import { SINCE_LAST_VERSION } from './scenarios/since-last-version';
import { checkOutVersionBefore } from './version-before';

const root = join(import.meta.dirname, '../..');
let folder: string;
/** The whole repository of the previous version. */
let before: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockyard-before-'));
  before = join(folder, 'before');
  await mkdir(before);
  await checkOutVersionBefore(before);
  await symlink(join(root, 'node_modules'), join(before, 'node_modules'));
  // The scenarios and the agent are the present ones.
  await cp(join(root, 'test/clients'), join(before, 'test/clients'), { recursive: true });
  for (const part of ['vitest.config.ts', 'scripts/suites', 'test/build-once.ts']) {
    await cp(join(root, part), join(before, part), { recursive: true });
  }
  // The present configuration names this file; that version does not report its jobs.
  await writeFile(join(before, 'test/no-job-left.ts'), '');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the client of the previous version, with the present server', () => {
  let bench: ScenarioBench;
  beforeAll(async () => {
    bench = await ScenarioBench.open(typescriptOf(before));
  });
  afterAll(() => bench?.close());
  beforeEach(() => bench.begin());

  test.each(SCENARIOS)('%s', (_, play) => play(bench));
});

test("the previous version's server passes every scenario with the present client", async () => {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const file = 'test/clients/client-scenarios.test.ts';
  const args = [vitest, 'run', file, '-t', TYPESCRIPT, '--reporter=json'];
  const env = { ...process.env, TEST_LONG: '1', LOCKYARD_CLIENT_ROOT: root };
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: before,
    env,
    maxBuffer: 2 ** 26,
  }).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? String(error) }));
  const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
    numFailedTests: number;
    numPassedTests: number;
    testResults: { assertionResults: { status: string; title: string }[] }[];
  };
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = results.filter(({ status }) => status === 'failed').map(({ title }) => title);
  expect(failed).toEqual([]);
  const played = SCENARIOS.length + Object.keys(SINCE_LAST_VERSION).length;
  expect(report.numPassedTests).toBe(played);
}, 600_000);
