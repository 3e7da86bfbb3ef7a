import { ClockInterval } from '../../clock-interval';
import { StoreError } from '../../record-store';
import type { ZnodeCache } from '../znode-cache';
import type { ZookeeperLayout } from '../zookeeper-layout';
import {
  type Acl,
  ANY_VERSION,
  type Call,
  exists,
  getData,
  type MultiAnswer,
  multi,
  type Step,
  ZookeeperRefusal,
} from './wire-calls';
import type { ZookeeperConnection } from './zookeeper-connection';

/**
 * What every write depends on besides its own record. The version is that of a znode which every
 * removal of a record writes. A write that checks it is applied only if no cached version belongs
 * to a znode that was deleted and recreated.
 */
export interface Generation {
  version: number;
  /** The part of the history that is written to. */
  chunk: number;
  /** The incarnation found complete; its writes do nothing once another has begun. Null: none. */
  incarnation: string | null;
  /** The epoch of that incarnation. */
  epoch: number;
}

/** The result of a write; `at` is its instant on the leader's clock. */
export type Written =
  | (Extract<MultiAnswer, { applied: true }> & { at: number })
  | Extract<MultiAnswer, { applied: false }>;

/** Provides a `GuardedConnection`, and what is known through the last one. */
export interface ConnectionProvider
  extends Pick<
    GuardedConnection,
    | 'layout'
    | 'monotonic'
    | 'generation'
    | 'write'
    | 'refreshGeneration'
    | 'earliest'
    | 'latest'
    | 'connected'
  > {}

/** A connection, what it shows of the leader's clock, and the incarnation it was admitted to. */
export class GuardedConnection {
  private readonly clock = new ClockInterval();
  private known: Generation = { version: 0, chunk: 0, incarnation: null, epoch: 0 };

  constructor(
    private readonly connection: ZookeeperConnection,
    readonly layout: ZookeeperLayout,
    readonly acl: Acl,
    readonly monotonic: () => number,
    /** Emptied when its versions may belong to deleted znodes. */
    private readonly cache: Pick<ZnodeCache, 'dropAll'>,
  ) {}

  get isOpen(): boolean {
    return this.connection.isOpen;
  }

  get generation(): Generation {
    return this.known;
  }

  async connected(): Promise<GuardedConnection> {
    return this;
  }

  ask<T>(call: Call<T>): Promise<T> {
    return this.connection.ask(call);
  }

  close(): void {
    this.connection.close();
  }

  /** The leader's clock shows at least this; whole milliseconds. */
  earliest(): number {
    return Math.floor(this.interval().earliest);
  }

  /** The leader's clock shows less than this. */
  latest(): number {
    return this.interval().latest;
  }

  /** From now on every write and every proof belongs to this incarnation. */
  async enter(admitted: { incarnation: string; epoch: number }): Promise<void> {
    this.known = { ...this.known, ...admitted };
    await this.refreshGeneration();
  }

  /** From now on writes belong to no incarnation: one is being inspected or created. */
  leave(): void {
    this.known = { ...this.known, incarnation: null };
  }

  /**
   * One atomic step, and its instant on the leader's clock.
   *
   * @param generation the one in which the step was decided
   * @throws StoreError `no` if its incarnation no longer exists
   */
  async write(steps: Step[], { incarnation }: Generation = this.known): Promise<Written> {
    if (incarnation !== this.known.incarnation) throw otherIncarnation();
    const mark = incarnation === null ? [] : [this.layout.marker(incarnation)];
    const checks = mark.map((path): Step => ({ kind: 'check', path, version: ANY_VERSION }));
    const answer = await this.send([...steps, ...checks]);
    if (!answer.applied && answer.failedAt === steps.length && incarnation !== null)
      throw this.changed();
    return answer;
  }

  /**
   * Writes only to read the clock. A later read is no older than what was answered before.
   *
   * @returns the instant of the write, on the leader's clock
   */
  async tick(): Promise<number> {
    const answer = await this.write([]);
    if (answer.applied) return answer.at;
    throw new ZookeeperRefusal(answer.code);
  }

  /** Proves that this connection's earlier answers came from the incarnation it was admitted to. */
  async prove(): Promise<void> {
    const { incarnation } = this.known;
    if (incarnation === null || (await this.ask(exists(this.layout.marker(incarnation))))) return;
    throw this.changed();
  }

  async refreshGeneration(): Promise<void> {
    const read = await this.ask(getData(this.layout.generation));
    if (read === null) throw this.changed();
    const { version } = read.stat;
    if (version !== this.known.version) this.cache.dropAll();
    this.known = { ...this.known, version, chunk: chunkIn(read.data) };
  }

  /** Closes the connection: the store has changed and must be inspected before the next request. */
  changed(): StoreError {
    this.close();
    return otherIncarnation();
  }

  /** Only a set step returns the instant; it applies to all steps. */
  private async send(steps: Step[]): Promise<Written> {
    const tick: Step = {
      kind: 'set',
      path: this.layout.tick,
      data: '',
      version: ANY_VERSION,
    };
    const returnsInstant = steps.some(({ kind }) => kind === 'set');
    const sentAt = this.monotonic();
    const answer = await this.ask(multi(returnsInstant ? steps : [...steps, tick], this.acl));
    if (!answer.applied) return answer;
    const at = answer.done.find(({ stat }) => stat)?.stat?.mtime ?? 0;
    this.clock.measure(at, sentAt, this.monotonic());
    return { ...answer, at };
  }

  private interval(): { earliest: number; latest: number } {
    const interval = this.clock.at(this.monotonic());
    if (interval) return interval;
    throw new StoreError("ZooKeeper's clock is not known yet.", 'no');
  }
}

/** The chunk that the generation's znode names. */
export const chunkIn = (data: Buffer): number => Number(String(data));

const otherIncarnation = () => new StoreError('ZooKeeper no longer has its earlier data.', 'no');
