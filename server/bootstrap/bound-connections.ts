import { LINGERING_MAX } from '../api/http/connections/connection-limit';
import type { Log } from '../platform/log';
import type { Config } from './config/config';

/** Open files besides callers' connections: Node, the log, sockets, the page process, a backup. */
const FILES_OF_PROCESS = 112;
/** For each database and backend: a pool of connections, or a database file and those beside it. */
const FILES_OF_STORE = 16;
const CONNECTIONS_MIN = 10;

/**
 * The configuration, with at most as many connections as there are file descriptors after a reserve
 * for stores, pages and connections that are being refused. Logs a warning if that is fewer than
 * configured.
 *
 * @param openFilesMax how many files this process may have open; null: unknown, so nothing is
 *   limited
 */
export function boundConnections(
  config: Config,
  openFilesMax: number | null,
  log: Pick<Log, 'warn'>,
): Config {
  const configured = config.limits.connections;
  if (openFilesMax === null) return config;
  const reserve = FILES_OF_PROCESS + LINGERING_MAX + FILES_OF_STORE * storesIn(config);
  const connections = Math.max(CONNECTIONS_MIN, openFilesMax - reserve);
  if (connections >= configured) return config;
  log.warn(
    { configured, connections, openFilesMax },
    'The limit on open files allows fewer connections than LOCKYARD_CONNECTIONS; see ulimit -n',
  );
  return { ...config, limits: { ...config.limits, connections } };
}

function storesIn({ backends }: Config): number {
  const ofBackend = ({ shards }: Config['backends'][number]) =>
    shards ? shards.shards.length + shards.leaving.length : 1;
  return 1 + backends.reduce((sum, backend) => sum + ofBackend(backend), 0);
}
