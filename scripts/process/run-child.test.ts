import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const MODULE = pathToFileURL(join(import.meta.dirname, 'run-child.mjs')).href;

/**
 * What a program says, and its children, until all of them have ended. In it, `run` runs a program
 * as `runChild`, and shows what that says.
 *
 * @param endsAt what it says when it is to be interrupted
 */
async function saidBy(program: string, endsAt?: string): Promise<string> {
  const run = `(program) => runChild(process.execPath, ['-e', program], { show: true })`;
  const start = `import { runChild } from '${MODULE}'; const run = ${run};`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', start + program]);
  parent.stdout.on('data', (piece) => {
    if (endsAt !== undefined && `${piece}`.includes(endsAt)) parent.kill('SIGINT');
  });
  return text(parent.stdout);
}

test('nothing is started any more once a signal has come', async () => {
  const slow = `setInterval(() => {}, 1e6);
    process.on('SIGINT', () => setTimeout(process.exit, 300)); console.log('ready')`;
  const said = await saidBy(
    `void run(${JSON.stringify(slow)});
    await run('setInterval(() => {}, 1e6)');
    await run('console.log("started")');`,
    'ready',
  );
  expect(said).toBe('ready\n');
});

test('a process that exits for another reason leaves no child behind', async () => {
  const child = `setTimeout(() => console.log('left behind'), 5_000)`;
  expect(await saidBy(`void run(${JSON.stringify(child)}); process.exit(1)`)).toBe('');
});
