import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programSchemaVersion } from '@/db/schema-version';
import { makeAppReady } from '@/scripts/build/make-ready.mjs';
import { checkOutVersionBefore } from '../clients/version-before';
import { TwoServers } from './two-servers';

const BUILT_WITHIN_MS = 600_000;
const BOTH_RUN_MS = 8_000;
const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

let folder: string;
/** The previous version, installed and built. */
let before: string;
let installation: TwoServers;

beforeAll(async () => {
  await makeAppReady(() => undefined);
  folder = await mkdtemp(join(tmpdir(), 'lockyard-before-'));
  before = join(folder, 'before');
  await mkdir(before);
  await checkOutVersionBefore(before);
  const env = { ...process.env, NODE_ENV: 'production' as const };
  await run('npm', ['ci', '--omit=dev', '--silent', '--prefer-offline'], { cwd: before, env });
  // The same as its `npm start` does: it has no command that only builds.
  const build = "import('./scripts/build/make-ready.mjs').then((m) => m.makeAppReady(() => {}))";
  await run(process.execPath, ['--input-type=module', '-e', build], { cwd: before, env });
  installation = await TwoServers.start(before);
  await installation.beginTraffic();
  await installation.untilGranting();
}, BUILT_WITHIN_MS);
afterAll(async () => {
  await installation?.close();
  await rm(folder, { recursive: true, force: true });
}, BUILT_WITHIN_MS);

/** No lock was granted twice, no lease was lost, and no call failed that the client retries. */
function expectUnharmed(what: string): void {
  const seen = installation.look();
  console.info(`${what}: ${JSON.stringify(seen)}`);
  expect(installation.referee.broken).toEqual([]);
  for (const { grants, lostByLeaseMs, rejectedCalls } of Object.values(seen)) {
    expect(grants).toBeGreaterThan(0);
    // A lease of 2 s or 5 s can expire on a slow machine, whatever runs on it.
    const { 2_000: _two, 5_000: _five, ...longer } = lostByLeaseMs;
    expect(longer).toEqual({});
    const rejected = Object.keys(rejectedCalls).filter((name) => name !== 'LockLost');
    expect(rejected).toEqual([]);
  }
}

/** The HTTP status with which a server answers an acquire of a lock with a key. */
async function answerTo(url: string, apiKey: string, name: string): Promise<number> {
  const { status } = await fetch(`${url}/api/v1/lock.acquire`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, namespace: 'default', owner: 'narrow', leaseMs: 1_000 }),
  });
  return status;
}

/** An old server must not ignore limits of a key that it does not know. */
async function expectNarrowKeysRefused(servers: TwoServers['servers']): Promise<void> {
  const [fresh, old] = servers;
  const limits = [
    ['--prefix', 'jobs:'],
    ['--verb', 'acquire'],
    ['--expires', '1h'],
  ];
  for (const words of limits) {
    const key = installation.createKey(root, words);
    expect([words, await answerTo(fresh.url, key, 'jobs:a')]).toEqual([words, 200]);
    expect([words, await answerTo(old.url, key, 'jobs:a')]).toEqual([words, 401]);
  }
}

test('servers are upgraded one after another under callers that never pause', async () => {
  await pause(BOTH_RUN_MS);
  expectUnharmed('two old servers');
  for (const [place, server] of installation.servers.entries()) {
    expect(await server.stop()).toBe(0);
    await server.restart(root);
    await pause(BOTH_RUN_MS);
    if (place === 0) await expectNarrowKeysRefused(installation.servers);
    expectUnharmed(place === 0 ? 'one of each version' : 'two new servers');
  }
}, 300_000);

test('an old server does not start on the new schema, and changes nothing', async () => {
  const [server] = installation.servers;
  await server.stop();
  const known = programSchemaVersion('mysql');
  await expect(server.restart(before)).rejects.toThrow(
    new RegExp(`It said:\\nThe database has a newer schema \\(${known}\\) than .+\\n$`),
  );
  await server.restart(root);
  await pause(BOTH_RUN_MS);
  expectUnharmed('an old server was refused');
}, 300_000);

test('every step of a counter that was answered was applied once', async () => {
  const { promised, value } = await installation.endTraffic();
  expect(promised).toBeGreaterThan(0);
  expect(value).toBe(promised);
}, 300_000);
