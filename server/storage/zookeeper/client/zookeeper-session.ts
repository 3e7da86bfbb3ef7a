import { StoreError } from '../../record-store';
import type { ZookeeperGuard } from '../guard/zookeeper-guard';
import type { ZnodeCache } from '../znode-cache';
import type { ZookeeperLayout } from '../zookeeper-layout';
import { type ConnectionProvider, type Generation, GuardedConnection } from './guarded-connection';
import { OPEN_TO_ALL, OWNED } from './wire-calls';
import { type ServerAddress, ZookeeperConnection } from './zookeeper-connection';

const ANSWER_MAX_MS = 1_200;
/** How long a call waits for a connection that is being opened. */
const CONNECTION_WAIT_MS = 250;
const HEARTBEAT_MS = 1_000;
const RETRY_AFTER_MS = 50;
const RETRY_AT_MOST_MS = 400;

const LATE = 'ZooKeeper cannot be reached, or is being checked.';

/**
 * A connection to one of the servers, reopened whenever it breaks, and what is known of the
 * leader's clock through it: measured before a new connection is used, every second, and by every
 * write. No connection is used before ZooKeeper has shown that it has lost nothing: see
 * `ZookeeperGuard`.
 */
export class ZookeeperSession implements ConnectionProvider {
  /** The connection that was admitted last. */
  private connection: GuardedConnection | null = null;
  /** Why no connection is open; undefined while one is, and at first. */
  private failure: unknown;
  private readonly waiters = new Set<() => void>();
  private wake = () => {};
  private isClosed = false;

  private constructor(
    private readonly servers: ServerAddress[],
    readonly layout: ZookeeperLayout,
    private readonly guard: ZookeeperGuard,
    readonly monotonic: () => number,
    private readonly cache: ZnodeCache,
    private readonly answerMaxMs: number,
  ) {}

  /**
   * Creates the znodes and connects.
   *
   * @param answerMaxMs how long ZooKeeper may take for an answer; then the connection is closed
   * @throws StoreError if no server responds or admits us
   */
  static async open(
    servers: ServerAddress[],
    layout: ZookeeperLayout,
    guard: ZookeeperGuard,
    monotonic: () => number,
    cache: ZnodeCache,
    answerMaxMs = ANSWER_MAX_MS,
  ): Promise<ZookeeperSession> {
    const session = new ZookeeperSession(servers, layout, guard, monotonic, cache, answerMaxMs);
    let failure: unknown;
    for (const server of servers) {
      try {
        await session.connectTo(server);
        void session.keepConnected();
        return session;
      } catch (error) {
        failure = error;
      }
    }
    throw asStoreError(failure);
  }

  get generation(): Generation {
    return this.last().generation;
  }

  earliest(): number {
    return this.last().earliest();
  }

  latest(): number {
    return this.last().latest();
  }

  /**
   * An admitted connection whose clock was measured.
   *
   * @throws StoreError `no` if there is none within `CONNECTION_WAIT_MS`
   */
  async connected(): Promise<GuardedConnection> {
    if (!this.connection?.isOpen) await this.waitForConnection();
    if (this.connection?.isOpen) return this.connection;
    const { failure: cause } = this;
    const { message, refusal } = cause ? asStoreError(cause) : { message: LATE, refusal: null };
    throw new StoreError(message, 'no', { cause, refusal });
  }

  async write(
    ...what: Parameters<GuardedConnection['write']>
  ): ReturnType<GuardedConnection['write']> {
    const connection = await this.connected();
    return connection.write(...what);
  }

  async refreshGeneration(): Promise<void> {
    const connection = await this.connected();
    await connection.refreshGeneration();
  }

  close(): void {
    this.isClosed = true;
    this.connection?.close();
    this.wake();
  }

  private last(): GuardedConnection {
    if (this.connection) return this.connection;
    throw new StoreError('ZooKeeper cannot be reached.', 'no');
  }

  private readonly onEnd = () => {
    if (!this.connection?.isOpen) this.wake();
  };

  /** Starts afresh: another server's clock is unknown, and changes may have been missed. */
  private async connectTo(server: ServerAddress): Promise<void> {
    const { layout, guard, monotonic, cache, answerMaxMs } = this;
    const open = ZookeeperConnection.open(server, answerMaxMs, monotonic, this.onEnd);
    const opened = await open;
    /** With credentials, what is created belongs to that user. */
    const acl = server.credentials ? OWNED : OPEN_TO_ALL;
    const connection = new GuardedConnection(opened, layout, acl, monotonic, cache);
    try {
      await guard.admit(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
    cache.dropAll();
    this.failure = undefined;
    this.connection = connection;
    if (this.isClosed) connection.close();
    for (const endWait of this.waiters) endWait();
  }

  private async keepConnected(): Promise<void> {
    let retryAfterMs = RETRY_AFTER_MS;
    for (let next = 0; !this.isClosed; ) {
      if (this.connection?.isOpen) {
        await this.sleep(HEARTBEAT_MS);
        await this.writeHeartbeat(this.connection);
        retryAfterMs = RETRY_AFTER_MS;
        continue;
      }
      if (!(await this.tryServer(next))) {
        await this.sleep(retryAfterMs);
        retryAfterMs = Math.min(retryAfterMs * 2, RETRY_AT_MOST_MS);
      }
      next += 1;
    }
  }

  private async tryServer(index: number): Promise<boolean> {
    const server = this.servers[index % this.servers.length];
    if (!server) return false;
    try {
      await this.connectTo(server);
      return true;
    } catch (error) {
      this.failure = error;
      return false;
    }
  }

  /** A refused heartbeat shows that the znodes changed; the connection can no longer be used. */
  private async writeHeartbeat(connection: GuardedConnection): Promise<void> {
    if (!connection.isOpen) return;
    try {
      await this.guard.writeHeartbeat(connection);
    } catch {
      connection.close();
    }
  }

  private waitForConnection(): Promise<void> {
    return new Promise((resolve) => {
      const endWait = () => {
        clearTimeout(timer);
        this.waiters.delete(endWait);
        resolve();
      };
      const timer = setTimeout(endWait, CONNECTION_WAIT_MS);
      this.waiters.add(endWait);
    });
  }

  private sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

export function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StoreError(message, 'no', { cause: error });
}
