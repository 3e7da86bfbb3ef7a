import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../project-root.mjs';
import { benchPrograms, bundle, simulatorPrograms } from './bundle.mjs';

/** Inside the project: packages stay outside the bundles. */
let folder: string;

beforeAll(async () => {
  const build = join(projectRoot, '.build');
  mkdirSync(build, { recursive: true });
  folder = mkdtempSync(join(build, 'programs-'));
  await bundle(benchPrograms, join(folder, 'bench'));
  await bundle(simulatorPrograms, join(folder, 'simulate'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const programs: [program: string, words: string[], status: number, says: RegExp][] = [
  ['bench/main', ['no-such-store'], 2, /^There is no case "no-such-store"\. There are: mariadb; /],
  ['bench/main', ['looking', 'no-such-case'], 2, /^There is no case "no-such-case"\. .*; lists\.$/],
  ['bench/http-load', [], 0, /^$/],
  ['bench/steady-callers-load', [], 0, /^$/],
  ['simulate/main', ['--seeds', 'many'], 2, /^--seeds must be a whole number, not "many"\.$/],
];

test.each(programs)(
  '%s can be loaded, and reads its arguments: %j',
  (program, words, code, says) => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(folder, `${program}.mjs`), ...words],
      { cwd: projectRoot, encoding: 'utf8', timeout: 120_000 },
    );
    expect(stderr.trim()).toMatch(says);
    expect(status).toBe(code);
  },
);
