import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'playwright/test';
import { freePort } from '../scripts/system/free-port.mjs';
import { takeSteps } from '../test/installing/container-steps';
import { ended, ImagePrograms } from '../test/installing/image-programs';

const ENDS_WITHIN_MS = 15_000;
const root = resolve(import.meta.dirname, '..');

/** The packages and the build of this folder: `npm run test:long` makes those of the image. */
const INSTEAD = {
  'npm ci --omit=dev': (workdir: string) =>
    symlinkSync(join(root, 'node_modules'), join(workdir, 'node_modules')),
  'npm run build -- --slim': (workdir: string) =>
    cpSync(join(root, '.next'), join(workdir, '.next'), {
      recursive: true,
      filter: (path) => path !== join(root, '.next/cache'),
    }),
};

test('the Containerfile starts an unprivileged server from a read-only folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-image-'));
  // The user of the image has to get to it.
  chmodSync(folder, 0o755);
  const port = await freePort();
  let programs: ImagePrograms | null = null;
  try {
    const image = takeSteps(join(folder, 'stages'), root, INSTEAD);
    expect(image.user).toEqual({ uid: 65532, gid: 65532 });
    programs = new ImagePrograms(image, join(folder, 'volume'), port);
    expect(await programs.run(image.healthCheck)).toBe(1);
    const server = programs.start(image.command);
    let said = '';
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const status = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        (answer) => answer.status,
        () => 0,
      );
    await expect.poll(() => status('/api/health/ready'), { timeout: 60_000 }).toBe(200);
    await expect.poll(() => said).toContain(`ready on http://127.0.0.1:${port}`);
    expect(said).not.toMatch(/Installing|Building/);
    expect(await programs.run(image.healthCheck)).toBe(0);
    expect(await status('/sign-in')).toBe(200);
    const askedAt = performance.now();
    server.kill(image.stopSignal as NodeJS.Signals);
    expect(await ended(server)).toBe(0);
    expect(performance.now() - askedAt).toBeLessThan(ENDS_WITHIN_MS);
  } finally {
    await programs?.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
