import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CommandRig } from './testing/command-rig';

const root = join(import.meta.dirname, '../..');
let rig: CommandRig;

beforeAll(async () => {
  rig = await CommandRig.start();
});
afterAll(() => rig.close());

/** Runs the script of the checkout from another folder. */
async function npmRun(...words: string[]) {
  const args = ['--prefix', root, 'run', '-s', 'lockyard', '--', ...words];
  const child = spawn('npm', args, {
    cwd: rig.folder,
    env: rig.environment as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, out, err };
}

test('a checkout runs a command under a lock in the caller’s folder and environment', async () => {
  const script = 'pwd; echo "$LOCKYARD_LOCK|$NODE_ENV|$1"; exit 6';
  const { code, out, err } = await npmRun(
    'exec',
    'nightly',
    '-n',
    '--',
    'sh',
    '-c',
    script,
    'sh',
    '--',
  );
  expect(err).toBe('');
  expect(code).toBe(6);
  expect(out).toBe(`${realpathSync(rig.folder)}\nnightly|${process.env.NODE_ENV ?? ''}|--\n`);
});

test('in a checkout the command line uses the service API and manages the server', async () => {
  const inspected = await npmRun('inspect', 'nightly', '--json');
  expect(inspected).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(inspected.out)).toMatchObject({ name: 'nightly', holders: [] });
  const help = await npmRun('--help');
  expect(help.out).toMatch(/keys create[\s\S]*exec NAME/);
});
