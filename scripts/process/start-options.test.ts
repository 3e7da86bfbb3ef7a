import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../project-root.mjs';
import { startOptions } from './start-options.mjs';
import { fileLimitComplaint, nodeComplaint } from './start-requirements.mjs';

test('a plain start sets nothing', () => expect(startOptions([], {})).toEqual({ variables: {} }));

test('the demo uses a data directory of its own', () =>
  expect(startOptions(['--demo'], {}).variables).toEqual({
    LOCKYARD_DEMO: '1',
    LOCKYARD_DATA_DIR: '.lockyard-demo',
  }));

test('the demo refuses a database of its user', () =>
  expect(() => startOptions(['--demo'], { LOCKYARD_DATABASE_URL: 'mysql://x' })).toThrow(
    /unset LOCKYARD_DATABASE_URL/,
  ));

test('the demo refuses a data folder of its user, in which it would put its fleet', () =>
  expect(() => startOptions(['--demo'], { LOCKYARD_DATA_DIR: '/srv/lockyard' })).toThrow(
    /unset LOCKYARD_DATA_DIR/,
  ));

test.each(['.lockyard-demo', join(projectRoot, '.lockyard-demo')])(
  'the demo takes its own data folder, which the README has people export: %s',
  (LOCKYARD_DATA_DIR) =>
    expect(startOptions(['--demo'], { LOCKYARD_DATA_DIR }).variables).toMatchObject({
      LOCKYARD_DATA_DIR: '.lockyard-demo',
    }),
);

test('npm start --demo, which npm does not pass on, is not mistaken for a plain start', () =>
  expect(() => startOptions([], { npm_config_demo: 'true' })).toThrow('npm start -- --demo'));

test('an unknown argument is named', () =>
  expect(() => startOptions(['--demo', '--prot=1'], {})).toThrow(/"--prot=1"/));

test.each(['--help', '-h', '--demo --help'])('%s prints the help, and starts nothing', (words) => {
  const start = join(projectRoot, 'scripts/start.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [start, ...words.split(' ')], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: npm start \[-- --demo\]\n/);
  expect(stdout).toContain('docs/configuration.md');
});

test.each(['18.20.4', '20.18.3', '19.9.0'])('Node %s is refused in one line', (version) => {
  expect(nodeComplaint(version)).toMatch(/needs Node 20\.19 or newer/);
  expect(nodeComplaint(version)).not.toContain('\n');
});

test.each(['20.19.0', '20.20.2', '22.1.0', '26.0.0'])('Node %s is fine', (version) =>
  expect(nodeComplaint(version)).toBeNull(),
);

test('a start that may have too few files open says so in one line, and starts nothing', () => {
  expect(fileLimitComplaint(1_024)).toBeNull();
  expect(fileLimitComplaint(null)).toBeNull();
  const start = join(projectRoot, 'scripts/start.mjs');
  const { status, stdout, stderr } = spawnSync(
    '/bin/sh',
    ['-c', `ulimit -n 64 && exec '${process.execPath}' '${start}'`],
    { encoding: 'utf8' },
  );
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^The limit on open files is 64; [^\n]* ulimit -n 4096\n$/);
});
