import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { PlainFailure } from '../process/plain-failure.mjs';

/**
 * Starts a private server for tests, whose files are in `folder` and are removed with it. `isUp` is
 * polled until it returns true; `log` is a file whose last lines are shown if it never does.
 *
 * @returns `signal` sends it a signal, `start` restarts it after it was killed, with its data and
 *   port, `stop` ends and removes it, `pid` is its current process id. The server and its folder
 *   never outlive this process.
 */
export async function startPrivateServer({ what, folder, program, args, isUp, log, graceMs }) {
  let child;
  let ended = Promise.resolve();
  const abandon = () => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', abandon);

  const stop = async () => {
    child.kill('SIGCONT'); // A stopped process receives no other signal.
    child.kill('SIGTERM');
    await Promise.race([ended, pause(graceMs, undefined, { ref: false })]);
    abandon();
    process.off('exit', abandon);
  };
  const start = async () => {
    await ended;
    child = spawn(program, args.map(String), { stdio: 'ignore' });
    ended = new Promise((resolve) => child.once('exit', resolve));
    if (await comesUp(child, isUp)) return;
    const logLines = lastLines(log);
    await stop();
    throw new PlainFailure(`A ${what} for the tests did not start:\n${logLines}`);
  };
  await start();
  return { start, stop, signal: (name) => child.kill(name), pid: () => child.pid };
}

/**
 * What a server at this port of 127.0.0.1 sends first, after `command` if one is given; empty if it
 * sends nothing.
 */
export function firstWords(port, command = '') {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(command));
    const answer = (words) => {
      socket.destroy();
      resolve(words);
    };
    socket.once('data', (words) => answer(String(words)));
    socket.once('error', () => answer(''));
    socket.setTimeout(1_000, () => answer(''));
  });
}

async function comesUp(child, isUp) {
  for (let waitedMs = 0; waitedMs < 30_000 && child.exitCode === null; waitedMs += 20) {
    if (await isUp()) return true;
    await pause(20);
  }
  return false;
}

const lastLines = (path) =>
  readFileSync(path, { encoding: 'utf8', flag: 'a+' }).trim().split('\n').slice(-5).join('\n');
