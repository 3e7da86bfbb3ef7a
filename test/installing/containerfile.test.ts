import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findProgram } from '@/scripts/system/find-program.mjs';
import { freePort } from '@/scripts/system/free-port.mjs';
import { type Image, inside, takeSteps } from './container-steps';

const BUILT_WITHIN_MS = 900_000;
const ENDS_WITHIN_MS = 15_000;
const root = join(import.meta.dirname, '../..');
const isRoot = process.getuid?.() === 0;
const folder = mkdtempSync(join(tmpdir(), 'lockyard-image-'));
const context = join(folder, 'context');
const volume = join(folder, 'volume');
const children: ChildProcess[] = [];
let image: Image;

beforeAll(() => {
  // The user of the image has to get to it.
  chmodSync(folder, 0o755);
  execFileSync('git', ['clone', '--quiet', root, context]);
  image = takeSteps(join(folder, 'stages'), context);
}, BUILT_WITHIN_MS);

afterAll(async () => {
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  rmSync(folder, { recursive: true, force: true });
}, BUILT_WITHIN_MS);

function bytesIn(place: string): number {
  return readdirSync(place, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** As a container starts it: its own environment alone, and no home. */
const environment = (port: number) => ({
  ...image.env,
  PATH: process.env.PATH ?? '',
  NODE_ENV: 'production' as const,
  HOST: '127.0.0.1',
  PORT: String(port),
  LOCKYARD_DATA_DIR: inside(image, image.env.LOCKYARD_DATA_DIR ?? ''),
});

/** A program of the image, as its user, where only the volume can be written. */
function start(command: string[], port: number): ChildProcess {
  const mounts = [
    `mount --bind '${image.root}' '${image.root}'`,
    `mount --bind '${volume}' '${inside(image, image.volume ?? '')}'`,
    `mount -o remount,ro,bind '${image.root}'`,
    `cd '${inside(image, image.workdir)}'`,
  ];
  const { uid = 0, gid = 0 } = image.user ?? {};
  // Another user than root has no second one to become.
  const asUser = isRoot ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [];
  const script = `${mounts.join(' && ')} && exec "$@"`;
  const own = isRoot ? [] : ['--user', '--map-root-user'];
  const program = command.map((word) => (word === 'node' ? process.execPath : word));
  const child = spawn(
    'unshare',
    [...own, '--mount', 'sh', '-c', script, 'container', ...asUser, ...program],
    { env: environment(port), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  children.push(child);
  return child;
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

test('packages and build together take 250 MB at most', () => {
  const place = inside(image, image.workdir);
  const bytes = bytesIn(join(place, 'node_modules')) + bytesIn(join(place, '.next'));
  console.info(`${Math.round(bytes / 1e6)} MB`);
  expect(bytes).toBeLessThan(250e6);
});

test(
  'the steps make what starts without rights from a folder that cannot be written, is healthy, serves pages and API, and ends in time',
  async () => {
    const { mode, uid, gid } = statSync(inside(image, image.volume ?? ''));
    expect([mode & 0o777, uid]).toEqual([0o700, isRoot ? image.user?.uid : process.getuid?.()]);
    // A new volume is as the folder that it covers.
    mkdirSync(volume, { mode });
    chownSync(volume, uid, gid);
    const port = await freePort();
    const health = () => ended(start(image.healthCheck, port));
    expect(await health()).toBe(1);

    const server = start(image.command, port);
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
    const key = start(
      ['node', 'scripts/lockyard.mjs', 'keys', 'create', '--name', 'a', '--namespace', 'default'],
      port,
    );
    expect(await ended(key)).toBe(0);

    const askedAt = performance.now();
    server.kill(image.stopSignal as NodeJS.Signals);
    expect(await ended(server)).toBe(0);
    expect(performance.now() - askedAt).toBeLessThan(ENDS_WITHIN_MS);
    expect(await health()).toBe(1);
  },
  BUILT_WITHIN_MS,
);

/** Builders of images that are installed here and can build. */
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
