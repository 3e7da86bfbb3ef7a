import { createConnection } from 'mysql2/promise';
import { startPrivateMariadb } from '../scripts/servers/private-mariadb.mjs';

/** A MariaDB with an empty database, which a test may freeze and kill. */
export interface OwnMariadb {
  /** The URL of the database. */
  url: string;
  /** Stops the server in whatever it is doing, with every connection still open. */
  freeze(): void;
  thaw(): void;
  /** Ends the server immediately, as in a crash. */
  kill(): void;
  /** Starts it again after that, on the same port and data. */
  start(): Promise<void>;
  /** Ends it for good and deletes its data. */
  discard(): Promise<void>;
}

/** @param durable whether every commit is flushed to disk, so that a killed server loses none */
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
