import { expect, test } from 'vitest';
import { systemClock } from '@/server/platform/clock';
import { runDoctor } from './run-doctor';

test.each([
  ['text', []],
  ['JSON', ['--json']],
])('an answer as %s cannot steer the terminal that shows it', async (_, words) => {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const env = { LOCKYARD_DATA_DIR: '/nowhere/lockyard' };
  await runDoctor(['--url', 'x\u009b2J', ...words], { env, clock: systemClock, write });
  expect(text).toContain('is no http(s) address');
  expect(text).not.toContain('\u009b');
});

test('a key file that cannot be read is a problem, and is named', async () => {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const env = { LOCKYARD_DATA_DIR: '/nowhere/lockyard', LOCKYARD_API_KEY_FILE: '/nowhere/key' };
  expect(await runDoctor(['--url', 'x'], { env, clock: systemClock, write })).toBe(2);
  expect(text).toContain(
    'PROBLEM API key: LOCKYARD_API_KEY_FILE names a file that cannot be read (no such file): ' +
      '/nowhere/key',
  );
});
