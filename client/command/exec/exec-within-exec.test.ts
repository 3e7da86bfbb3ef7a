import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CommandRig } from '../testing/command-rig';

let rig: CommandRig;
let names = 0;
let name: string;

beforeAll(async () => {
  rig = await CommandRig.start();
});
afterAll(() => rig.close());
beforeEach(() => {
  name = `nested-${++names}`;
});

/** Runs `lockyard exec` within a command of `lockyard exec`. */
function nested(outer: string[], inner: string[]) {
  const within = [process.execPath, rig.bundle, 'exec', ...inner, '--', 'echo', 'ran'];
  return rig.start(['exec', ...outer, '--', ...within]);
}

const NOTICE = 'is held by the lockyard exec around this command; waiting until that ends';

test.each([
  [[], []],
  [['--shared'], []],
  [[], ['--shared']],
  [
    ['--capacity', '2'],
    ['--capacity', '2', '--permits', '2'],
  ],
])('a command that waits for the lock it runs under says so: %j, %j', async (outer, inner) => {
  const running = nested([name, ...outer], [name, ...inner]);
  await running.said(`lockyard: "${name}" ${NOTICE}\n`);
  running.child.kill();
  const { out, err } = await running.ended;
  expect(out).toBe('');
  expect(err.split(NOTICE)).toHaveLength(2);
});

test.each([
  [['--shared'], ['--shared']],
  [
    ['--capacity', '2'],
    ['--capacity', '2'],
  ],
])(
  'one that the lock around it does not keep waiting says nothing: %j, %j',
  async (outer, inner) => {
    const { code, out, err } = await nested([name, ...outer], [name, ...inner]).ended;
    expect({ code, out, err }).toEqual({ code: 0, out: 'ran\n', err: '' });
  },
);

test('nor does one that waits for another holder, or is to be quiet', async () => {
  await rig.client.acquire({ name, owner: 'other', leaseMs: 60_000 });
  const other = rig.exec([name, '-w', '1s'], ':', {
    env: { LOCKYARD_LOCK: name, LOCKYARD_NAMESPACE: 'default', LOCKYARD_TOKEN: '1' },
  });
  expect((await other.ended).err).toMatch(/^lockyard: "nested-\d+" was not granted[^\n]*\n$/);
  const quiet = nested([`${name}-own`], [`${name}-own`, '-q', '-w', '1s', '-E', '9']);
  expect(await quiet.ended).toMatchObject({ code: 9, err: '' });
});

test('what a command starts does not count as started by npm, as its exec does', async () => {
  const env = { npm_lifecycle_event: 'npx', npm_lifecycle_script: 'lockyard' };
  const show = 'echo "$npm_lifecycle_event|$npm_lifecycle_script"';
  expect((await rig.exec([name], show, { env }).ended).out).toBe('npx|\n');
});
