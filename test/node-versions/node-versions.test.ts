import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LockyardClient } from '@/client/lockyard';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** Beside the Node that runs all tests. */
const VERSIONS = ['22.23.3', '24.21.0', '26.10.0'];

/** The client, and a few tests of the engine and its stores, by parts of their paths. */
const TESTS = [
  'client/{fail-over,lead,lockyard-client,real-service,reentrancy,with-lock,with-locks}',
  'client/observing',
  'client/waiting',
  'client/guards/sqlite',
  'server/engine/{multi-locks,permits,request-identity,waiting,waits-over-restarts}',
];
const PATTERN = /^(.*)\{(.*)\}$/;
const filters = TESTS.flatMap((text) => {
  const [, folder = '', names = ''] = PATTERN.exec(text) ?? [];
  return folder ? names.split(',').map((name) => `${folder}${name}.test`) : [text];
});

/** A start installs packages, and builds again for each version of Node. */
const STARTED_WITHIN_MS = 600_000;

/** A separate clone: other tests use the build of this folder meanwhile. */
let clone: string;
beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'lockyard-clone-'));
  await run('git', ['clone', '--quiet', root, clone]);
});
afterAll(() => rm(clone, { recursive: true, force: true }));

describe.each(VERSIONS)('with Node %s', (version) => {
  let folder: string;
  let node: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lockyard-node-'));
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    // The package that `node@…` installs by a script, which npm may be configured not to run.
    const name = `node-${process.platform}-${process.arch}`;
    await run('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], { cwd: folder });
    node = join(folder, 'node_modules', name, 'bin/node');
  }, 600_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test(
    'the server starts, creates a key, grants a lock, shows its pages and shuts down cleanly',
    async () => {
      const { stdout } = await run(node, ['--version']);
      expect(stdout.trim()).toBe(`v${version}`);
      const data = join(folder, 'data');
      const env = { ...process.env, LOCKYARD_DATA_DIR: data, PORT: '0' };
      const server = spawn(node, ['scripts/start.mjs'], { cwd: clone, env });
      let said = '';
      for (const stream of [server.stdout, server.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          said += text;
        });
      }
      try {
        const address = () => /ready on (https?:\/\/[^\s/]+)/.exec(said)?.[1];
        await expect.poll(address, { timeout: STARTED_WITHIN_MS }).toBeDefined();
        const url = address() ?? '';
        const words = ['keys', 'create', '--name', 'a', '--namespace', 'default'];
        const key = await run(node, ['scripts/lockyard.mjs', ...words], { cwd: clone, env });
        const client = new LockyardClient({ url, apiKey: key.stdout.trim() });
        const answer = await client.acquire({ name: 'x', leaseMs: 30_000 });
        expect(answer.outcome).toBe('granted');
        const page = await fetch(`${url}/sign-in`);
        expect([page.status, await page.text()]).toEqual([
          200,
          expect.stringContaining('Lockyard'),
        ]);
      } finally {
        const ended = once(server, 'exit');
        server.kill('SIGTERM');
        const [code] = await ended;
        expect(code, said).toBe(0);
      }
    },
    2 * STARTED_WITHIN_MS,
  );

  test('the tests of the client and of the engine pass', async () => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const { stdout } = await run(node, [vitest, 'run', '--reporter=json', ...filters], {
      cwd: root,
      env: { ...process.env, TEST_LONG: '' },
      maxBuffer: 2 ** 26,
    }).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? String(error) }));
    const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
      numPassedTests: number;
      testResults: { assertionResults: { status: string; fullName: string }[] }[];
    };
    const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = results.filter(({ status }) => status === 'failed').map((each) => each.fullName);
    expect(failed).toEqual([]);
    expect(report.numPassedTests).toBeGreaterThan(150);
  }, 900_000);
});
