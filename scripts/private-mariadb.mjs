import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from './find-program.mjs';
import { freePort } from './free-port.mjs';
import { PlainFailure } from './plain-failure.mjs';

const serverProgram = () => findProgram(['mariadbd', 'mysqld']);
const installProgram = () => findProgram(['mariadb-install-db', 'mysql_install_db']);

export const mariadbIsInstalled = () => serverProgram() !== null && installProgram() !== null;

/**
 * Starts a MariaDB of our own: empty, on a free port of 127.0.0.1, its data in a temporary folder that goes with it.
 * With `durable` every commit is flushed to disk, as in production; without, commits are faster and survive anything
 * but a crash of the machine. `url` names no database: users create their own. `signal` sends it a signal; `start`
 * brings back one that was killed, with its data and port.
 */
export async function startPrivateMariadb({ durable }) {
  const folder = mkdtempSync(join(tmpdir(), 'ly-')); // Short: a socket's path is limited to about 100 characters.
  const data = join(folder, 'd');
  const user = userInfo().username;
  execFileSync(
    installProgram(),
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--user=${user}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ],
    { stdio: 'pipe' },
  );

  const port = await freePort();
  const log = join(folder, 'log');
  const settings = [
    '--no-defaults',
    `--datadir=${data}`,
    `--user=${user}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${join(folder, 's')}`,
    `--pid-file=${join(folder, 'p')}`,
    `--log-error=${log}`,
    '--skip-name-resolve',
    '--skip-log-bin',
    '--performance-schema=0',
    '--max-connections=1000',
    '--innodb-buffer-pool-size=256M',
    '--innodb-log-file-size=128M',
    `--innodb-flush-log-at-trx-commit=${durable ? 1 : 0}`,
  ];
  let child;
  let ended = Promise.resolve();
  const abandon = () => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', abandon);

  const stop = async () => {
    child.kill('SIGTERM');
    await Promise.race([ended, pause(10_000, undefined, { ref: false })]);
    abandon();
    process.off('exit', abandon);
  };
  const start = async () => {
    await ended;
    child = spawn(serverProgram(), settings, { stdio: 'ignore' });
    ended = new Promise((resolve) => child.once('exit', resolve));
    if (await greets(port, child)) return;
    const said = lastLines(log);
    await stop();
    throw new PlainFailure(`A MariaDB for the tests did not start:\n${said}`);
  };
  await start();
  return {
    url: `mysql://root@127.0.0.1:${port}`,
    start,
    stop,
    signal: (name) => child.kill(name),
  };
}

const lastLines = (path) =>
  readFileSync(path, { encoding: 'utf8', flag: 'a+' }).trim().split('\n').slice(-5).join('\n');

/** A server that takes connections speaks first. */
async function greets(port, child) {
  for (let waitedMs = 0; waitedMs < 30_000 && child.exitCode === null; waitedMs += 50) {
    const spoke = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      const answer = (value) => {
        socket.destroy();
        resolve(value);
      };
      socket.once('data', () => answer(true));
      socket.once('error', () => answer(false));
      socket.setTimeout(1_000, () => answer(false));
    });
    if (spoke) return true;
    await pause(50);
  }
  return false;
}
