import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../scripts/system/free-port.mjs';
import { type Image, inside, takeSteps } from '../test/installing/container-steps';
import { expect, test } from './lockyard-test';

/** Servers of its own alone. */
test.use({ baseURL: undefined });

const ENDS_WITHIN_MS = 15_000;
const root = resolve(import.meta.dirname, '..');

/** The two steps that take minutes are those that this installation has gone through already. */
const ALREADY_DONE = {
  'npm ci --omit=dev': (workdir: string) =>
    symlinkSync(join(root, 'node_modules'), join(workdir, 'node_modules')),
  'npm run build -- --slim': (workdir: string) =>
    cpSync(join(root, '.next'), join(workdir, '.next'), {
      recursive: true,
      filter: (path) => !/\.next\/(cache|dev)$/.test(path),
    }),
};

test('the steps of the Containerfile, one by one in an empty folder, make a server that starts, is healthy, and ends in time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-image-'));
  const port = await freePort();
  const run = (image: Image, [program = '', ...args]: string[]) =>
    spawn(program === 'node' ? process.execPath : program, args, {
      cwd: inside(image, image.workdir),
      env: {
        ...image.env,
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        LOCKYARD_DATA_DIR: inside(image, image.env.LOCKYARD_DATA_DIR ?? ''),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  let server: ChildProcess | null = null;
  try {
    const image = takeSteps(folder, root, ALREADY_DONE);
    expect(image.user).toEqual({ uid: 65532, gid: 65532 });
    const health = async () => (await once(run(image, image.healthCheck), 'exit'))[0];
    expect(await health()).toBe(1);
    server = run(image, image.command);
    let said = '';
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await expect
      .poll(() => said, { timeout: 60_000 })
      .toContain(`ready on http://127.0.0.1:${port}`);
    expect(said).not.toMatch(/Installing|Building/);
    expect(await health()).toBe(0);
    expect((await fetch(`http://127.0.0.1:${port}/sign-in`)).status).toBe(200);

    const askedAt = performance.now();
    const ended = once(server, 'exit');
    server.kill(image.stopSignal as NodeJS.Signals);
    expect((await ended)[0]).toBe(0);
    expect(performance.now() - askedAt).toBeLessThan(ENDS_WITHIN_MS);
  } finally {
    server?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
