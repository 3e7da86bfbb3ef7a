import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../system/find-program.mjs';
import { freePort } from '../system/free-port.mjs';
import { firstWords, startPrivateServer } from './private-server.mjs';

const serverProgram = () => findProgram(['redis-server', 'valkey-server']);

export const redisIsInstalled = () => serverProgram() !== null;

/**
 * Starts a private Redis: empty, on a free port of 127.0.0.1, with its files in a temporary folder
 * that is removed with it. It keeps everything only in memory, or, with `durable`, flushes every
 * write to a log. With `cluster` it is a cluster of one, which has all slots and refuses a command
 * on two of them; with `sentinel` it monitors others and stores nothing. `signal`, `start` and
 * `stop` are as for `startPrivateServer`.
 *
 * `settings` are further arguments, such as `['--maxmemory', '4mb']`.
 *
 * @param {{
 *   cluster?: boolean, durable?: boolean, sentinel?: boolean, settings?: string[],
 * }} options
 */
export async function startPrivateRedis({
  cluster = false,
  durable = false,
  sentinel = false,
  settings = [],
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'lyr-'));
  const port = await freePort();
  const log = join(folder, 'log');
  const answers = async (command, expected) =>
    (await firstWords(port, `${command}\r\n`)).includes(expected);
  const clusterSettings = cluster
    ? ['--cluster-enabled', 'yes', '--cluster-port', await freePort()]
    : [];
  const watcherFile = join(folder, 'sentinel.conf');
  if (sentinel) writeFileSync(watcherFile, `dir ${folder}\n`);
  const server = await startPrivateServer({
    what: 'Redis',
    folder,
    program: serverProgram(),
    args: [
      ...(sentinel ? [watcherFile, '--sentinel'] : ['--save', '']),
      ...['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--logfile', log],
      ...['--appendonly', durable ? 'yes' : 'no', '--appendfsync', durable ? 'always' : 'no'],
      ...(cluster ? [...clusterSettings, '--cluster-announce-ip', '127.0.0.1'] : []),
      ...settings,
    ],
    isUp: async () =>
      (await answers('PING', '+PONG')) &&
      (!cluster ||
        ((await answers('CLUSTER ADDSLOTSRANGE 0 16383', '')) &&
          (await answers('CLUSTER INFO', 'cluster_state:ok')))),
    log,
    graceMs: 5_000,
  });
  return { url: `redis://127.0.0.1:${port}`, folder, ...server };
}
