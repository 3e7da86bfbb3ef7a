import { StoreError } from '../record-store';
import { ClockInterval } from './clock-interval';
import {
  type Acl,
  ANY_VERSION,
  getData,
  type MultiAnswer,
  multi,
  OPEN_TO_ALL,
  OWNED,
  type Step,
  ZookeeperRefusal,
} from './wire-calls';
import { type ServerAddress, ZookeeperConnection } from './zookeeper-connection';
import type { ZookeeperLayout } from './zookeeper-layout';

const ANSWER_WITHIN_MS = 1_200;
/** So long a call waits for a connection that is just being made. */
const PATIENCE_MS = 250;
const TICK_EVERY_MS = 1_000;
const RETRY_AFTER_MS = 50;
const RETRY_AT_MOST_MS = 400;

/**
 * What every write rests on besides its own record. The version is that of a znode which every removal of a record
 * writes, so a write that names it knows that no version it remembers belongs to a znode that is gone and was made anew.
 */
export interface Generation {
  version: number;
  /** The part of the history that is written to. */
  chunk: number;
}

/** What came of a write; `at` is its instant on the leader's clock. */
export type Written =
  | (Extract<MultiAnswer, { took: true }> & { at: number })
  | Extract<MultiAnswer, { took: false }>;

/**
 * A connection to one of the servers, made again whenever it breaks, and what is known of the leader's clock through it:
 * measured before a new connection is used, every second, and by every write.
 */
export class ZookeeperSession {
  readonly clock = new ClockInterval();
  private connection: ZookeeperConnection | null = null;
  private known: Generation = { version: 0, chunk: 0 };
  private waiters: (() => void)[] = [];
  private wake = () => {};
  private isClosed = false;

  private readonly tick: Step;

  private constructor(
    private readonly servers: ServerAddress[],
    private readonly layout: ZookeeperLayout,
    private readonly monotonic: () => number,
    /** Told when what was remembered of versions may belong to znodes that are gone. */
    private readonly onNewGeneration: () => void,
  ) {
    const data = Buffer.alloc(0);
    this.tick = { kind: 'set', path: layout.tick, data, version: ANY_VERSION };
  }

  /**
   * Prepares the znodes and connects.
   *
   * @throws StoreError where no server is there or none lets us in
   */
  static async open(
    servers: ServerAddress[],
    layout: ZookeeperLayout,
    monotonic: () => number,
    onNewGeneration: () => void,
  ): Promise<ZookeeperSession> {
    const session = new ZookeeperSession(servers, layout, monotonic, onNewGeneration);
    let failure: unknown;
    for (const server of servers) {
      try {
        const open = ZookeeperConnection.open(server, ANSWER_WITHIN_MS, monotonic, session.onEnd);
        const connection = await open;
        await layout.prepare(connection, session.acl);
        await session.begin(connection);
        void session.keep();
        return session;
      } catch (error) {
        failure = error;
      }
    }
    throw asStoreError(failure);
  }

  get generation(): Generation {
    return this.known;
  }

  /** Whoever signs in has what is made for itself. */
  private get acl(): Acl {
    return this.servers[0]?.credentials ? OWNED : OPEN_TO_ALL;
  }

  /** The leader's clock shows at least this; whole milliseconds. */
  earliest(): number {
    return Math.floor(this.interval().earliest);
  }

  /** It shows less than this. */
  latest(): number {
    return this.interval().latest;
  }

  /**
   * A connection whose clock was measured.
   *
   * @throws StoreError `no` where there is none by and by
   */
  async connected(): Promise<ZookeeperConnection> {
    if (!this.connection) await this.waitForOne();
    if (this.connection) return this.connection;
    throw new StoreError('ZooKeeper is not there.', 'no');
  }

  /** One atomic step, and the instant of it on the leader's clock. */
  async write(steps: Step[]): Promise<Written> {
    return this.writeOn(await this.connected(), steps);
  }

  async refreshGeneration(): Promise<void> {
    await this.readGeneration(await this.connected());
  }

  close(): void {
    this.isClosed = true;
    this.connection?.close();
    this.wake();
  }

  private interval(): { earliest: number; latest: number } {
    const interval = this.clock.at(this.monotonic());
    if (interval) return interval;
    throw new StoreError("ZooKeeper's clock is not known yet.", 'no');
  }

  private readonly onEnd = () => {
    if (this.connection?.isOpen) return;
    this.connection = null;
    this.wake();
  };

  /** Another server may answer from now on, so nothing is known of its clock; and what was not seen may have happened. */
  private async begin(connection: ZookeeperConnection): Promise<void> {
    this.clock.forget();
    await Promise.all([this.tickOn(connection), this.readGeneration(connection)]);
    this.connection = connection.isOpen ? connection : null;
    for (const waiter of this.waiters.splice(0)) waiter();
  }

  private async keep(): Promise<void> {
    let retryAfterMs = RETRY_AFTER_MS;
    for (let next = 0; !this.isClosed; ) {
      if (this.connection) {
        await this.sleep(TICK_EVERY_MS);
        await this.tickAgain();
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

  private async tryServer(place: number): Promise<boolean> {
    const server = this.servers[place % this.servers.length];
    if (!server) return false;
    try {
      const open = ZookeeperConnection.open(server, ANSWER_WITHIN_MS, this.monotonic, this.onEnd);
      const connection = await open;
      await this.begin(connection).catch((error) => {
        connection.close();
        throw error;
      });
      if (this.isClosed) connection.close();
      return true;
    } catch {
      return false;
    }
  }

  /** A tick that is refused says that the znodes are gone; then the connection is of no use. */
  private async tickAgain(): Promise<void> {
    const { connection } = this;
    if (!connection) return;
    try {
      await this.tickOn(connection);
    } catch {
      connection.close();
      this.onEnd();
    }
  }

  private async tickOn(connection: ZookeeperConnection): Promise<void> {
    const answer = await this.writeOn(connection, []);
    if (!answer.took) throw new ZookeeperRefusal(answer.code);
  }

  /** Only a step that sets tells the instant; it is that of all of them. */
  private async writeOn(connection: ZookeeperConnection, steps: Step[]): Promise<Written> {
    const tellsTime = steps.some(({ kind }) => kind === 'set');
    const sentAt = this.monotonic();
    const answer = await connection.ask(multi(tellsTime ? steps : [...steps, this.tick], this.acl));
    if (!answer.took) return answer;
    const at = answer.done.find(({ stat }) => stat)?.stat?.mtime ?? 0;
    this.clock.measure(at, sentAt, this.monotonic());
    return { ...answer, at };
  }

  private async readGeneration(connection: ZookeeperConnection): Promise<void> {
    const read = await connection.ask(getData(this.layout.generation));
    if (read === null)
      throw new StoreError('The root of these locks is gone from ZooKeeper.', 'no');
    const { version } = read.stat;
    if (version !== this.known.version) this.onNewGeneration();
    this.known = { version, chunk: Number(String(read.data)) };
  }

  private waitForOne(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      this.waiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
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
