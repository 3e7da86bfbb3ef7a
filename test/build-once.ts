import { existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Before the tests: makes the folder of `buildOnce`. The returned function removes it. */
export default function makeFolder(): () => void {
  mkdirSync('.build', { recursive: true });
  // Within the project, so that the programs find their packages.
  const folder = resolve(mkdtempSync(join('.build', 'programs-')));
  process.env.TEST_PROGRAMS = folder;
  return () => rmSync(folder, { recursive: true });
}

/**
 * Builds a program that several test files run, once for all of them: the first that asks builds
 * it, and the others wait.
 *
 * @param name says what is built, and how
 * @param build writes the program to the file that it is given
 * @returns the path of the program
 */
export async function buildOnce(
  name: string,
  build: (file: string) => Promise<unknown>,
): Promise<string> {
  const folder = process.env.TEST_PROGRAMS;
  if (folder === undefined) throw new Error('TEST_PROGRAMS is not set.');
  const program = join(folder, `${name}.mjs`);
  const claim = join(folder, `${name}.claim`);
  for (; !existsSync(program); await sleep(20)) {
    if (!isFirstTo(claim)) continue;
    const unfinished = join(folder, `${name}.unfinished.mjs`);
    try {
      await build(unfinished);
      renameSync(unfinished, program);
    } catch (error) {
      rmdirSync(claim);
      throw error;
    }
  }
  return program;
}

/** Makes a folder, which stays unless the build fails; false if another process has made it. */
function isFirstTo(claim: string): boolean {
  try {
    mkdirSync(claim);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}
