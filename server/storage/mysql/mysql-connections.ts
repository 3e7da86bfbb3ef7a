import { StoreError } from '../record-store';
import { MysqlConnection } from './mysql-connection';
import { isReadOnly } from './mysql-refusal';
import type { MysqlServer } from './mysql-server';
import type { Packet } from './packets/packet';

/**
 * Packets in flight at the same time. Six commits of an engine may each wait a second for a row
 * that another program has locked: heartbeats and reads must still find a connection.
 */
const CONNECTIONS = 10;

/** The connections of one store, each used for one packet at a time. */
export class MysqlConnections {
  private readonly idle: MysqlConnection[];
  private readonly all: MysqlConnection[];
  private readonly queue: ((connection: MysqlConnection) => void)[] = [];

  /** @param timeoutMs how long one packet may take */
  constructor(
    uri: string,
    private readonly timeoutMs: number,
  ) {
    this.all = Array.from({ length: CONNECTIONS }, () => new MysqlConnection(uri, timeoutMs));
    this.idle = [...this.all];
  }

  /**
   * Sends a packet over an idle connection, an open one if there is any. Throws as
   * `MysqlConnection.exchange`, and if no connection is idle in time: then nothing is sent.
   *
   * Once the server has refused a packet as read-only, every connection is reopened before its next
   * use: the URI may lead to another server by now, and reads from the old one may be stale.
   */
  async exchange<T>(write: (server: MysqlServer) => Packet<T>): Promise<T> {
    const connection = this.takeIdle() ?? (await this.nextIdle());
    try {
      return await connection.exchange(write);
    } catch (error) {
      if (isReadOnly(error)) for (const each of this.all) each.leave();
      throw error;
    } finally {
      const next = this.queue.shift();
      if (next) next(connection);
      else this.idle.push(connection);
    }
  }

  /** Permanent: every later call fails. */
  close(): void {
    for (const connection of this.all) connection.close();
  }

  private takeIdle(): MysqlConnection | undefined {
    const open = this.idle.findLastIndex((connection) => connection.isOpen);
    return open < 0 ? this.idle.pop() : this.idle.splice(open, 1)[0];
  }

  private nextIdle(): Promise<MysqlConnection> {
    return new Promise((resolve, reject) => {
      const take = (connection: MysqlConnection) => {
        clearTimeout(timer);
        resolve(connection);
      };
      const timer = setTimeout(() => {
        this.queue.splice(this.queue.indexOf(take), 1);
        reject(new StoreError('Every connection to the database is busy.', 'no'));
      }, this.timeoutMs / 3);
      this.queue.push(take);
    });
  }
}
