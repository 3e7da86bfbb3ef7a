import { createConnection } from 'mysql2/promise';
import { startPrivateMariadb } from '../scripts/servers/private-mariadb.mjs';

/** A MariaDB that a test may freeze and kill, with an empty database. */
export interface OwnMariadb {
  /** Names the database. */
  url: string;
  /** It stops in the midst of everything, with every connection still open. */
  freeze(): void;
  thaw(): void;
  /** It ends at once, as in a crash. */
  kill(): void;
  /** Starts it again after that, on the same port and data. */
  start(): Promise<void>;
  /** Ends it for good and deletes its data. */
  discard(): Promise<void>;
}

/** @param durable whether every commit is on disk, so that a killed one loses none */
export async function startOwnMariadb({ durable = false } = {}): Promise<OwnMariadb> {
  const server = await startPrivateMariadb({ durable });
  const connection = await createConnection({ uri: server.url });
  await connection.query('create database lockyard');
  await connection.end();
  return {
    url: `${server.url}/lockyard`,
    freeze: () => void server.signal('SIGSTOP'),
    thaw: () => void server.signal('SIGCONT'),
    kill: () => void server.signal('SIGKILL'),
    start: () => server.start(),
    async discard() {
      server.signal('SIGCONT');
      await server.stop();
    },
  };
}
