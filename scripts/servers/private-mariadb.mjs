import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../system/find-program.mjs';
import { freePort } from '../system/free-port.mjs';
import { firstWords, startPrivateServer } from './private-server.mjs';

const serverProgram = () => findProgram(['mariadbd', 'mysqld']);
const installProgram = () => findProgram(['mariadb-install-db', 'mysql_install_db']);

export const mariadbIsInstalled = () => serverProgram() !== null && installProgram() !== null;

/**
 * Starts a private MariaDB: empty, on a free port of 127.0.0.1, with its data in a temporary folder
 * that is removed with it. With `durable` every commit is flushed to disk, as in production;
 * without, commits are faster, and a server that is killed may lose the last second. With
 * `binaryLog` it writes a row-based one, flushed as often. `url` names no database: users create
 * their own. `data` is the folder of its files. `signal`, `start`, `stop` and `pid` are as for
 * `startPrivateServer`. `settings` are further arguments, such as `['--innodb-file-per-table=0']`.
 * With `bearsFullDisk`, a file that cannot grow (`prlimit --fsize`, Linux only) is an error that
 * the server survives.
 *
 * @param {{
 *   durable: boolean,
 *   binaryLog?: boolean,
 *   settings?: string[],
 *   bearsFullDisk?: boolean,
 * }} options
 */
export async function startPrivateMariadb({
  durable,
  binaryLog = false,
  settings = [],
  bearsFullDisk = false,
}) {
  // Short: a socket's path is limited to about 100 characters.
  const folder = mkdtempSync(join(tmpdir(), 'ly-'));
  const data = join(folder, 'd');
  // Only root has to name its user. Other users may have no name, as in a container.
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  install(data, asRoot, folder);

  const port = await freePort();
  const log = join(folder, 'log');
  const args = [
    '--no-defaults',
    `--datadir=${data}`,
    `--tmpdir=${folder}`,
    ...asRoot,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${join(folder, 's')}`,
    `--pid-file=${join(folder, 'p')}`,
    `--log-error=${log}`,
    '--skip-name-resolve',
    ...(binaryLog
      ? [
          `--log-bin=${join(data, 'binary-log')}`,
          '--server-id=1',
          '--binlog-format=ROW',
          `--sync-binlog=${durable ? 1 : 0}`,
        ]
      : ['--skip-log-bin']),
    '--performance-schema=0',
    '--max-connections=1000',
    '--innodb-buffer-pool-size=256M',
    '--innodb-log-file-size=128M',
    `--innodb-flush-log-at-trx-commit=${durable ? 1 : 0}`,
    ...settings,
  ];
  const program = serverProgram();
  const server = await startPrivateServer({
    what: 'MariaDB',
    folder,
    program: bearsFullDisk ? 'env' : program,
    args: bearsFullDisk ? ['--ignore-signal=XFSZ', program, ...args] : args,
    // A server that accepts connections sends a greeting.
    isUp: async () => (await firstWords(port)) !== '',
    log,
    graceMs: 10_000,
  });
  return { url: `mysql://root@127.0.0.1:${port}`, data, ...server };
}

/**
 * Makes a data folder with the system tables. If the environment variable `MARIADB_INSTALLED` names
 * a folder, the first one is kept there, and all others are copies of it, which are made far
 * faster.
 */
function install(data, asRoot, folder) {
  const kept = process.env.MARIADB_INSTALLED;
  if (kept && existsSync(kept)) return cpSync(kept, data, { recursive: true });
  execFileSync(
    installProgram(),
    [
      '--no-defaults',
      `--datadir=${data}`,
      ...asRoot,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      // The server makes one of its own size.
      '--innodb-log-file-size=4M',
    ],
    // Temporary tables are named by process id, which is not unique if machines share /tmp.
    { stdio: 'pipe', env: { ...process.env, TMPDIR: folder } },
  );
  if (kept) keep(data, kept);
}

/** Of several processes that do so at the same time, the first one's folder is kept. */
function keep(data, kept) {
  const copy = `${kept}-${process.pid}`;
  cpSync(data, copy, { recursive: true });
  try {
    renameSync(copy, kept);
  } catch {
    rmSync(copy, { recursive: true });
  }
}
