import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readHostIdentity, readProcessStat } from '../../platform/linux-process';
import { type Kernel, localKernel, lookAtProcess } from './look-at-process';

/** A process that does nothing, with the identity that a hold would name. */
function startProcess() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const pid = child.pid as number;
  const ended = once(child, 'exit');
  const stat = readProcessStat(pid);
  if (!stat) throw new Error('It has no entry in /proc.');
  return { child, ended, named: { pid, pidStart: stat.start } };
}

const look = (named: { pid: number; pidStart: string }, kernel: Kernel = localKernel) =>
  lookAtProcess(named, kernel);

test('a running process is alive, a stopped one too, and a killed one is dead', async () => {
  const { child, ended, named } = startProcess();
  expect(look(named)).toMatchObject({ ...named, state: 'alive' });
  child.kill('SIGSTOP');
  while (look(named).evidence !== `pid ${named.pid} is stopped`) await sleep(5);
  expect(look(named).state).toBe('alive');
  child.kill('SIGKILL');
  await ended;
  expect(look(named)).toMatchObject({ state: 'dead', evidence: `pid ${named.pid} is gone` });
});

test('a process whose id belongs to a later one is dead', async () => {
  const { child, ended, named } = startProcess();
  const earlier = { ...named, pidStart: String(Number(named.pidStart) - 100) };
  expect(look(earlier)).toMatchObject({ state: 'dead' });
  child.kill('SIGKILL');
  await ended;
});

test('a process that was not reaped, or may not be looked at, is unknown', () => {
  const named = { pid: 4127, pidStart: '881234' };
  const exists = () => true;
  const zombie = () => ({ state: 'Z', start: '881234' });
  expect(look(named, { stat: zombie, exists })).toMatchObject({ state: 'unknown' });
  expect(look(named, { stat: () => null, exists })).toMatchObject({ state: 'unknown' });
});

test('pid 1, which belongs to another user in most places, exists', () => {
  expect(localKernel.exists(1)).toBe(true);
});

test('this machine has an identity that stays the same', () => {
  const identity = readHostIdentity();
  expect(identity).toMatchObject({ pidNamespace: expect.stringMatching(/^\d+$/) });
  expect(readHostIdentity()).toEqual(identity);
});
