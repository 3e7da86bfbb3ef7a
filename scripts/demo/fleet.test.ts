import { fork, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockListInput } from '@/server/contract/console/console-inputs';
import { ApiHarness } from '@/test/api-harness';
import { DEMO_NAMESPACES, DEMO_SERVICES } from './demo-plan';
import { startFleet } from './start-fleet';

const folder = mkdtempSync(join(tmpdir(), 'lockyard-fleet-'));
const entry = join(folder, 'fleet.mjs');
const starter = join(folder, 'start-fleet.mjs');
let api: ApiHarness;
let keys: Record<string, string>;

const bundle = (file: string, outfile: string) =>
  build({
    entryPoints: [join(import.meta.dirname, file)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });

beforeAll(async () => {
  await Promise.all([bundle('fleet.ts', entry), bundle('start-fleet.ts', starter)]);
  api = await ApiHarness.start();
  for (const { name } of DEMO_NAMESPACES) await api.namespace(name);
  keys = {};
  for (const { name, namespaces } of DEMO_SERVICES) keys[name] = await api.key(name, namespaces);
});

afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

const page = () => api.runtime.projection.page(lockListInput.parse({}));

const rowOf = async (name: string) => (await page()).rows.find((row) => row.name === name);

async function until(isSo: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  let isMet = await isSo();
  while (!isMet && performance.now() < deadline) {
    await sleep(50);
    isMet = await isSo();
  }
  expect(isMet).toBe(true);
}

/** Processes that run the fleet of this test. */
function fleetProcesses(): number {
  const commands = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
  return commands.filter((command) => command.split('\0')[1] === entry).length;
}

describe.skipIf(!existsSync('/proc/self/cmdline'))('the demo fleet (needs /proc)', () => {
  test('brings twelve services and 63 locks to life, and leaves no process', async () => {
    const fleet = startFleet({ url: api.url, keys, entry });
    try {
      // Checked now, since two of them are killed after a while.
      await until(() => fleetProcesses() === 3, 60_000);
      const seen = new Set<string | undefined>();
      let sawSet = false;
      const isLively = async () => {
        const { rows, total, waiting } = await page();
        for (const { hold, ended } of rows) {
          seen.add((hold ?? ended)?.service);
          sawSet ||= hold?.set !== undefined;
        }
        seen.delete(undefined);
        return sawSet && total === 63 && waiting >= 8 && seen.size === DEMO_SERVICES.length;
      };
      await until(isLively, 120_000);
      const watchdog = await rowOf('cron:nightly-report');
      expect(watchdog?.hold?.owner).toBe('cron-6c4d:scheduler-1');
      expect(watchdog?.hold?.meta).toMatchObject({ host: 'cron-6c4d', version: '1.2.8' });
      await until(async () => ((await rowOf('pricing:catalogue'))?.holders ?? 0) > 1, 60_000);
      const licences = async () => (await rowOf('media:encoder-licences'))?.permits;
      await until(async () => ((await licences())?.inUse ?? 0) > 1, 60_000);
      expect(await licences()).toMatchObject({ capacity: 3 });
      const digest = async () => (await rowOf('mailer:digest:weekly'))?.hold;
      await until(async () => (await digest())?.releasedAt !== undefined, 60_000);
    } finally {
      await fleet.stop();
    }
    await until(() => fleetProcesses() === 0, 10_000);
  });

  test('ends by itself when its parent is gone before it has begun', async () => {
    const setup = { LOCKYARD_URL: api.url, LOCKYARD_DEMO_KEYS: JSON.stringify(keys) };
    const env = { NODE_ENV: 'production', ...setup } as const;
    const child = fork(entry, ['crashing'], { env });
    child.disconnect();
    try {
      await until(() => child.exitCode !== null, 60_000);
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('ends by itself when its parent is killed', async () => {
    const setup = JSON.stringify({ url: api.url, keys, entry });
    const script = `import { startFleet } from ${JSON.stringify(starter)}; startFleet(${setup});`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script]);
    try {
      await until(() => fleetProcesses() === 3, 60_000);
    } finally {
      parent.kill('SIGKILL');
    }
    await until(() => fleetProcesses() === 0, 30_000);
  });
});
