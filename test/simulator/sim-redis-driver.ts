import { EventEmitter } from 'node:events';
import { StoreError } from '@/server/storage/record-store';
import {
  END_RECOVERY,
  HEARTBEAT,
  LIST_RECORDS,
  type Reply,
  START_INCARNATION,
  SWAP,
} from '@/server/storage/redis/redis-script';
import type { SimLink } from './sim-link';
import { RedisRefusal, type SimRedis } from './sim-redis';

const WRITES: ReadonlySet<string> = new Set(
  [SWAP, HEARTBEAT, START_INCARNATION, LIST_RECORDS, END_RECOVERY].map(({ sha }) => sha),
);

/**
 * One connection to the simulated Redis, with the methods of the real driver that Lockyard uses.
 */
export class SimRedisDriver extends EventEmitter {
  status: 'wait' | 'ready' | 'end' = 'wait';
  private run = '';

  /** @param elapsedMs milliseconds since the simulation began */
  constructor(
    private readonly redis: SimRedis,
    private readonly link: SimLink,
    private readonly elapsedMs: () => number,
  ) {
    super();
    // Each command in flight listens for the end.
    this.setMaxListeners(0);
  }

  async connect(): Promise<void> {
    this.run = await this.sent('read', () => {
      if (this.elapsedMs() < this.redis.downUntil) throw new Error('connect ECONNREFUSED');
      return this.redis.runId;
    });
    if (this.status === 'end') throw new Error('Connection is closed.');
    this.status = 'ready';
  }

  disconnect(): void {
    if (this.status === 'end') return;
    this.status = 'end';
    this.emit('end');
  }

  call(command: 'EVALSHA' | 'CONFIG', ...args: (string | number)[]) {
    if (command === 'CONFIG') return this.ask<Reply>('read', () => this.redis.flushing());
    const [sha = '', , , ...rest] = args.map(String);
    return this.ask(WRITES.has(sha) ? 'swap' : 'read', () => this.redis.script(sha, rest));
  }

  info = () => this.ask('read', () => this.redis.info());

  scan = (cursor: string, _: 'MATCH', pattern: string) =>
    this.ask('read', () => this.redis.scanRecords(cursor, pattern.slice(0, -1)));

  mget = (keys: string[]) => this.ask('read', () => keys.map((key) => this.redis.get(key)));

  hget = (_: string, field: string) => this.ask('read', () => this.redis.field(field));

  xrange = (_: string, from: string, to: string, __: 'COUNT', limit: number) =>
    this.ask('read', () => this.redis.history(from, to, limit));

  zrangebylex(_: string, from: string, to: string, ...[, , limit]: ['LIMIT', number, number]) {
    return this.ask('read', () => this.redis.idsBetween(from, to, limit));
  }

  private ask<T>(kind: 'read' | 'swap', work: () => T): Promise<T> {
    if (this.status !== 'ready') return Promise.reject(new Error('Connection is closed.'));
    return this.sent(kind, () => {
      if (this.redis.runId === this.run) return work();
      this.disconnect();
      throw new Error('Connection is closed.');
    });
  }

  /**
   * A command in flight when the connection is closed can still arrive; its outcome stays unknown.
   */
  private sent<T>(kind: 'read' | 'swap', work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const closed = () => reject(new Error('Connection is closed.'));
      this.once('end', closed);
      const outcome = (): { done: T } | { error: unknown } => {
        try {
          return { done: work() };
        } catch (error) {
          return { error };
        }
      };
      this.link
        .call(kind, outcome)
        .then(
          (reply) => ('done' in reply ? resolve(reply.done) : reject(reply.error)),
          (error) => reject(asTheDriverSays(error)),
        )
        .finally(() => this.off('end', closed));
    });
  }
}

/** The driver's error for a call: one that was rolled back counts as refused by Redis. */
function asTheDriverSays(error: unknown): Error {
  const wasRefused = error instanceof StoreError && error.retryable;
  return wasRefused
    ? new RedisRefusal("OOM command not allowed when used memory > 'maxmemory'.")
    : new Error('Command timed out');
}
