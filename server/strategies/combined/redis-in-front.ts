/*
 * Strategy 20: Redis in front, MySQL decides. The teaching form of Lockyard's gate.
 *
 * Redis keeps an estimate of what is left. A caller first subtracts its part from the estimate, and
 * is refused immediately if there is not enough: once sold out, MySQL is hardly asked any more.
 * Redis never grants. A unit is sold by the commit of one conditional UPDATE in MySQL, so a Redis
 * that is wrong, wiped, slow or down affects only the speed.
 *
 * The estimate falls before the stock does, so it does not exceed what is truly left: it is what
 * MySQL had at some version of the row, less all parts on their way, less all parts that were sold
 * in later versions. When a step is settled, Redis receives the version in which the part was sold;
 * it adds the part to the estimate again if it was not sold, or was already counted. A caller that
 * dies on the way has subtracted its part and sold nothing. `drift` shows that difference, and
 * `reconcile` repairs it: it reads MySQL again and drops parts that are older than a step can take.
 *
 * Known limits: a refusal may be early, while parts are on their way and until the next
 * reconciliation. After a wipe, sales on their way are unknown until they are settled, and the
 * estimate may exceed the stock by them: such callers ask MySQL, and are refused there. While there
 * is stock, every sale costs two requests to Redis in addition to MySQL. Every writer of the row
 * must raise its version.
 *
 * Source: catalogue, section E, strategy 20; the recommendation of the write-ups for high load with
 * consistency.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { TimeLimit } from '@/server/platform/time-limit';
import { redisScript } from '../redis/redis-script';
import type { SqlDatabase } from '../sql-database';
import { readStock, type Sale, STOCK_KEY, type StockRow, stockKey } from '../stock-row';

export interface RedisInFrontOptions {
  /** The prefix of its keys. */
  prefix?: string;
  /** How long Redis may take; after that MySQL is asked without it. Default 50 ms. */
  redisMs?: number;
  /** The longest time from a step's first request to Redis to its commit. Default 10 s. */
  stepMs?: number;
}

export type SaleAnswer =
  | { outcome: 'sold' }
  /** `estimate`: refused by Redis, and not read from MySQL. */
  | { outcome: 'refused'; estimate: boolean };

/**
 * KEYS: estimate, parts on their way. ARGV: quantity, part. Returns 1: subtracted, 0: there is no
 * estimate, -1: refused.
 */
const TAKE_OFF = redisScript<-1 | 0 | 1>(`
local left = redis.call('HGET', KEYS[1], 'left')
if left and tonumber(left) < tonumber(ARGV[1]) then
  return -1
end
local time = redis.call('TIME')
redis.call('ZADD', KEYS[2], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[2])
if not left then
  return 0
end
redis.call('HINCRBY', KEYS[1], 'left', -ARGV[1])
return 1
`);

/**
 * KEYS: estimate, parts on their way, the last parts sold. ARGV: quantity, part, the version of the
 * row in which it was sold, or 0.
 */
const SETTLE = redisScript<number>(`
local isKnown = redis.call('ZREM', KEYS[2], ARGV[2]) == 1
local soldIn = tonumber(ARGV[3])
if soldIn > 0 then
  redis.call('ZADD', KEYS[3], soldIn, ARGV[2])
  redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -1001)
end
local version = redis.call('HGET', KEYS[1], 'version')
if not version then
  return 0
end
local isNew = soldIn > tonumber(version)
if isKnown and not isNew then
  redis.call('HINCRBY', KEYS[1], 'left', ARGV[1])
elseif isNew and not isKnown then
  redis.call('HINCRBY', KEYS[1], 'left', -ARGV[1])
end
return 1
`);

/** KEYS: as for SETTLE. ARGV: quantity and version in MySQL, `stepMs`. Returns what is left. */
const RECONCILE = redisScript<number>(`
local known = redis.call('HMGET', KEYS[1], 'left', 'version')
if known[2] and tonumber(known[2]) > tonumber(ARGV[2]) then
  return tonumber(known[1]) -- set by a later reading than this one
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ARGV[2])
local left = tonumber(ARGV[1])
for _, key in ipairs({ KEYS[2], KEYS[3] }) do
  for _, part in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    left = left - tonumber(string.match(part, '^%d+'))
  end
end
redis.call('HSET', KEYS[1], 'left', left, 'version', ARGV[2])
return left
`);

/** One stock row, with an estimate of its quantity in Redis. */
export class RedisInFront {
  private readonly estimate: string;
  private readonly parts: string;
  private readonly sold: string;
  private readonly redisMs: number;
  private readonly stepMs: number;
  private reconciling: Promise<unknown> | null = null;

  constructor(
    private readonly database: SqlDatabase,
    private readonly redis: Redis,
    private readonly row: StockRow,
    { prefix = 'estimate:', redisMs = 50, stepMs = 10_000 }: RedisInFrontOptions = {},
  ) {
    const { table, customer, warehouse, sku } = row;
    this.estimate = `${prefix}{${[table, customer, warehouse, sku].join(':')}}`;
    this.parts = `${this.estimate}:parts`;
    this.sold = `${this.estimate}:sold`;
    this.redisMs = redisMs;
    this.stepMs = stepMs;
  }

  /** Rejects as MySQL does; an error of the commit leaves open whether it was sold. */
  async sell({ quantity = 1, think, record }: Sale = {}): Promise<SaleAnswer> {
    const part = `${quantity}:${randomUUID()}`;
    const taken = await this.orNull(() =>
      TAKE_OFF(this.redis, [this.estimate, this.parts], [quantity, part]),
    );
    if (taken === -1) return { outcome: 'refused', estimate: true };
    await think?.();
    const soldIn = await this.database.transaction(async (session) => {
      const written = await session.run(
        `UPDATE ${this.row.table} SET quantity = quantity - ?, version = version + 1
         WHERE ${STOCK_KEY} AND quantity >= ?`,
        [quantity, ...stockKey(this.row), quantity],
      );
      if (written === 0) return 0;
      await record?.(session);
      return (await readStock(session, this.row)).version;
    });
    const isSold = soldIn > 0;
    await this.orNull(() => SETTLE(this.redis, this.keys(), [quantity, part, soldIn]));
    // Redis had no estimate, or one that was too high.
    if (taken === 0 || (taken === 1 && !isSold)) await this.orNull(() => this.reconcileOnce());
    return isSold ? { outcome: 'sold' } : { outcome: 'refused', estimate: false };
  }

  /** What is left according to Redis, null if it has no estimate, and according to MySQL. */
  async drift(): Promise<{ fast: number | null; durable: number }> {
    const fast = await this.redis.hget(this.estimate, 'left');
    const { quantity } = await readStock(this.database, this.row);
    return { fast: fast === null ? null : Number(fast), durable: quantity };
  }

  /** Sets the estimate from the row in MySQL, and returns it. Call it every few seconds. */
  async reconcile(): Promise<number> {
    const { quantity, version } = await readStock(this.database, this.row);
    return RECONCILE(this.redis, this.keys(), [quantity, version, this.stepMs]);
  }

  private keys(): string[] {
    return [this.estimate, this.parts, this.sold];
  }

  /** Callers that find it necessary at the same time share one reconciliation. */
  private reconcileOnce(): Promise<unknown> {
    this.reconciling ??= this.reconcile().finally(() => {
      this.reconciling = null;
    });
    return this.reconciling;
  }

  /** Null if Redis fails or is slow: it is never needed. */
  private async orNull<T>(ask: () => Promise<T>): Promise<T | null> {
    const late = () => new Error('Redis did not answer in time.');
    try {
      return await TimeLimit.within(this.redisMs, late, ask());
    } catch {
      return null;
    }
  }
}
