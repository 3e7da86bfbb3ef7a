import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findProgram } from '@/scripts/system/find-program.mjs';
import { freePort } from '@/scripts/system/free-port.mjs';
import { type Image, inside, takeSteps } from './container-steps';
import { ended, ImagePrograms } from './image-programs';

const BUILT_WITHIN_MS = 900_000;
const ENDS_WITHIN_MS = 15_000;
const root = join(import.meta.dirname, '../..');
const isRoot = process.getuid?.() === 0;
const folder = mkdtempSync(join(tmpdir(), 'lockyard-image-'));
const context = join(folder, 'context');
let image: Image;
let programs: ImagePrograms | null = null;

beforeAll(() => {
  // The user of the image needs access to it.
  chmodSync(folder, 0o755);
  execFileSync('git', ['clone', '--quiet', root, context]);
  image = takeSteps(join(folder, 'stages'), context);
}, BUILT_WITHIN_MS);

afterAll(async () => {
  await programs?.close();
  rmSync(folder, { recursive: true, force: true });
}, BUILT_WITHIN_MS);

function bytesIn(place: string): number {
  return readdirSync(place, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

test('packages and build together take 250 MB at most', () => {
  const place = inside(image, image.workdir);
  const bytes = bytesIn(join(place, 'node_modules')) + bytesIn(join(place, '.next'));
  console.info(`${Math.round(bytes / 1e6)} MB`);
  expect(bytes).toBeLessThan(250e6);
});

test(
  'the steps produce an image that starts unprivileged from a read-only folder',
  async () => {
    const { mode, uid } = statSync(inside(image, image.volume ?? ''));
    expect([mode & 0o777, uid]).toEqual([0o700, isRoot ? image.user?.uid : process.getuid?.()]);
    const port = await freePort();
    const own = new ImagePrograms(image, join(folder, 'volume'), port);
    programs = own;
    const health = () => own.run(image.healthCheck);
    expect(await health()).toBe(1);

    const server = own.start(image.command);
    const status = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then((answer) => answer.status);
    await vi.waitFor(async () => expect(await status('/api/health/ready')).toBe(200), {
      timeout: 60_000,
      interval: 250,
    });
    expect(await health()).toBe(0);
    for (const path of ['/docs', '/sign-in', '/api/v1/openapi.json']) {
      expect([path, await status(path)]).toEqual([path, 200]);
    }
    const create = ['keys', 'create', '--name', 'a', '--namespace', 'default'];
    expect(await own.run(['node', 'scripts/lockyard.mjs', ...create])).toBe(0);

    const askedAt = performance.now();
    server.kill(image.stopSignal as NodeJS.Signals);
    expect(await ended(server)).toBe(0);
    expect(performance.now() - askedAt).toBeLessThan(ENDS_WITHIN_MS);
    expect(await health()).toBe(1);
  },
  BUILT_WITHIN_MS,
);

/** The image builders that are installed here and able to build. */
const builders = ['docker', 'podman', 'buildah'].filter((name) => {
  const program = findProgram([name]);
  return program !== null && spawnSync(program, ['info']).status === 0;
});

test.each(builders)(
  '%s builds the image',
  (builder) => {
    const verb = builder === 'buildah' ? 'bud' : 'build';
    const args = [verb, '-f', 'deploy/Containerfile', '-t', 'lockyard:tried', '.'];
    const { status, stderr } = spawnSync(builder, args, { cwd: context, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const removed = spawnSync(builder, ['rmi', 'lockyard:tried']);
    expect(removed.status).toBe(0);
  },
  BUILT_WITHIN_MS,
);
