import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from './find-program.mjs';
import { freePort } from './free-port.mjs';
import { PlainFailure } from './plain-failure.mjs';

const serverProgram = () => findProgram(['redis-server', 'valkey-server']);

export const redisIsInstalled = () => serverProgram() !== null;

/**
 * Starts a Redis of our own: empty, on a free port of 127.0.0.1, keeping everything in memory only. With `cluster` it is
 * a cluster of one, which keeps all slots and refuses a command over two of them.
 */
export async function startPrivateRedis({ cluster = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'lyr-'));
  const port = await freePort();
  const log = join(folder, 'log');
  const settings = [
    ['--port', port],
    ['--bind', '127.0.0.1'],
    ['--dir', folder],
    ['--logfile', log],
    ['--save', ''],
    ['--appendonly', 'no'],
    ...(cluster ? await clusterSettings() : []),
  ];
  const child = spawn(serverProgram(), settings.flat().map(String), { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const abandon = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', abandon);

  const stop = async () => {
    child.kill('SIGTERM');
    await Promise.race([ended, pause(5_000, undefined, { ref: false })]);
    abandon();
    process.off('exit', abandon);
  };
  const isUp =
    (await answers(port, child, 'PING', '+PONG')) &&
    (!cluster ||
      ((await answers(port, child, 'CLUSTER ADDSLOTSRANGE 0 16383', '+OK')) &&
        (await answers(port, child, 'CLUSTER INFO', 'cluster_state:ok'))));
  if (!isUp) {
    const said = lastLines(log);
    await stop();
    throw new PlainFailure(`A Redis for the tests did not start:\n${said}`);
  }
  return { url: `redis://127.0.0.1:${port}`, stop };
}

const lastLines = (path) =>
  readFileSync(path, { encoding: 'utf8', flag: 'a+' }).trim().split('\n').slice(-5).join('\n');

/** Whether a command is answered so within 10 s. */
async function answers(port, child, command, expected) {
  for (let waitedMs = 0; waitedMs < 10_000 && child.exitCode === null; waitedMs += 20) {
    const isSo = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
      const answer = (value) => {
        socket.destroy();
        resolve(value);
      };
      socket.once('data', (reply) => answer(String(reply).includes(expected)));
      socket.once('error', () => answer(false));
      socket.setTimeout(1_000, () => answer(false));
    });
    if (isSo) return true;
    await pause(20);
  }
  return false;
}

const clusterSettings = async () => [
  ['--cluster-enabled', 'yes'],
  ['--cluster-port', await freePort()],
  ['--cluster-announce-ip', '127.0.0.1'],
];
