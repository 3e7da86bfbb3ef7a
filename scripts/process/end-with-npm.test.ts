import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

const program = `
  import { endWithNpm } from ${JSON.stringify(join(import.meta.dirname, 'end-with-npm.mjs'))};
  endWithNpm();
  process.on('SIGTERM', () => { console.log('ended'); process.exit(); });
  process.stdin.resume().on('end', () => { console.log('left'); process.exit(); });
  console.log('up');`;

/** Kills the shell that started a program; returns the program's output until its end. */
async function killShell(startedBy: string | undefined, patienceMs: number): Promise<string> {
  // Its standard input is the fourth stream, which a shell does not take for itself.
  const script = '"$0" --input-type=module -e "$1" <&3; exit';
  const shell = spawn('sh', ['-c', script, process.execPath, program], {
    env: { ...process.env, npm_lifecycle_event: startedBy } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  let said = '';
  const closed = once(shell, 'close');
  shell.stdout?.on('data', (chunk) => {
    said += chunk;
    if (said === 'up\n') shell.kill('SIGKILL');
  });
  await once(shell, 'exit');
  const patience = new AbortController();
  const whileItStays = sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => {});
  shell.stdout?.once('close', () => patience.abort());
  await whileItStays;
  shell.stdio[3]?.destroy();
  await closed;
  return said;
}

test('a program that npm started ends with npm', async () => {
  expect(await killShell('start', 30_000)).toBe('up\nended\n');
});

test('a program that npm did not start outlives the shell', async () => {
  expect(await killShell(undefined, 600)).toBe('up\nleft\n');
});
