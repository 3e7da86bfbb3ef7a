import { ClockInterval } from '../clock-interval';
import { StoreError } from '../record-store';
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
import type { ZookeeperLayout } from './zookeeper-layout';

/**
 * What every write rests on besides its own record. The version is that of a znode which every removal of a record
 * writes, so a write that names it knows that no version it remembers belongs to a znode that is gone and was made anew.
 */
export interface Generation {
  version: number;
  /** The part of the history that is written to. */
  chunk: number;
  /** The memory that was found whole; a write in it does nothing once another one has begun. Null: none yet. */
  life: string | null;
  /** The epoch of that memory. */
  epoch: number;
}

/** What came of a write; `at` is its instant on the leader's clock. */
export type Written =
  | (Extract<MultiAnswer, { took: true }> & { at: number })
  | Extract<MultiAnswer, { took: false }>;

/** Where a `ZookeeperLine` is to be had, and what is known through the last one. */
export interface ZookeeperLines
  extends Pick<
    ZookeeperLine,
    'generation' | 'write' | 'refreshGeneration' | 'earliest' | 'latest' | 'connected'
  > {}

/** A connection, what is known of the leader's clock through it, and the memory that it was admitted to. */
export class ZookeeperLine {
  private readonly clock = new ClockInterval();
  private known: Generation = { version: 0, chunk: 0, life: null, epoch: 0 };

  constructor(
    private readonly connection: ZookeeperConnection,
    readonly layout: ZookeeperLayout,
    readonly acl: Acl,
    readonly monotonic: () => number,
    /** Told when what was remembered of versions may belong to znodes that are gone. */
    private readonly onNewGeneration: () => void,
  ) {}

  get isOpen(): boolean {
    return this.connection.isOpen;
  }

  get generation(): Generation {
    return this.known;
  }

  async connected(): Promise<ZookeeperLine> {
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

  /** It shows less than this. */
  latest(): number {
    return this.interval().latest;
  }

  /** From now on every write and every proof is of this memory. */
  async enter(memory: { life: string; epoch: number }): Promise<void> {
    this.known = { ...this.known, ...memory };
    await this.refreshGeneration();
  }

  /** From now on writes are of no memory: one is being looked at, or made. */
  leave(): void {
    this.known = { ...this.known, life: null };
  }

  /**
   * One atomic step, and the instant of it on the leader's clock.
   *
   * @param rests what it was decided on
   * @throws StoreError `no` where that memory is not there any more
   */
  async write(steps: Step[], { life }: Generation = this.known): Promise<Written> {
    if (life !== this.known.life) throw otherMemory();
    const mark = life === null ? [] : [this.layout.marker(life)];
    const checks = mark.map((path): Step => ({ kind: 'check', path, version: ANY_VERSION }));
    const answer = await this.send([...steps, ...checks]);
    if (!answer.took && answer.failedAt === steps.length && life !== null) throw this.changed();
    return answer;
  }

  /**
   * Writes for the instant alone. What is read after it is no older than anything that was answered before it.
   *
   * @returns that instant, on the leader's clock
   */
  async tick(): Promise<number> {
    const answer = await this.write([]);
    if (answer.took) return answer.at;
    throw new ZookeeperRefusal(answer.code);
  }

  /** Proves that whatever was asked before on this connection was answered out of the memory that it was admitted to. */
  async prove(): Promise<void> {
    const { life } = this.known;
    if (life === null || (await this.ask(exists(this.layout.marker(life))))) return;
    throw this.changed();
  }

  async refreshGeneration(): Promise<void> {
    const read = await this.ask(getData(this.layout.generation));
    if (read === null) throw this.changed();
    const { version } = read.stat;
    if (version !== this.known.version) this.onNewGeneration();
    this.known = { ...this.known, version, chunk: chunkIn(read.data) };
  }

  /** What is there is not what it was: nothing more is asked before it has been looked at afresh. */
  changed(): StoreError {
    this.close();
    return otherMemory();
  }

  /** Only a step that sets tells the instant; it is that of all of them. */
  private async send(steps: Step[]): Promise<Written> {
    const tick: Step = {
      kind: 'set',
      path: this.layout.tick,
      data: Buffer.alloc(0),
      version: ANY_VERSION,
    };
    const tellsTime = steps.some(({ kind }) => kind === 'set');
    const sentAt = this.monotonic();
    const answer = await this.ask(multi(tellsTime ? steps : [...steps, tick], this.acl));
    if (!answer.took) return answer;
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

/** What the znode of the generation says. */
export const chunkIn = (data: Buffer): number => Number(String(data));

const otherMemory = () => new StoreError('ZooKeeper is not the memory that it was.', 'no');
