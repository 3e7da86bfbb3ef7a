import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { GATE_CLAIM_MS, GATE_FRESH_MS, GATE_REFRESH_MS, GATE_STEP_MAX_MS } from '../../core/timing';
import { RedisConnection } from '../redis/redis-connection';
import exchange from './exchange.lua';
import type { GateExchange, GateMessage, GateReply, GateStore } from './gate-store';

const LUA = `#!lua\n${exchange}`;
const SHA = createHash('sha1').update(LUA).digest('hex');

/** A connection that says nothing for so long is given up, whatever its callers wait for. */
const CALL_MAX_MS = 1_000;

const REPLY_FIELDS = 9;

/** Who shares what with whom in a Redis. */
export interface GateScope {
  /**
   * The same for all processes of one installation, for one of its backends; letters and digits.
   */
  scope: string;
  /** This process, unlike any other. */
  process: string;
}

/** How long things last at a gate, in milliseconds: see `core/timing.ts`. */
export interface GateLimits {
  stepMaxMs: number;
  freshMs: number;
  refreshMs: number;
  claimMs: number;
}

export const GATE_LIMITS: GateLimits = {
  stepMaxMs: GATE_STEP_MAX_MS,
  freshMs: GATE_FRESH_MS,
  refreshMs: GATE_REFRESH_MS,
  claimMs: GATE_CLAIM_MS,
};

/**
 * A gate's Redis. Its keys are `lockyard:gate:{<scope>}:…`, all in one slot of a cluster; those of
 * counters expire by themselves.
 *
 * @param url `redis:` or `rediss:`
 */
export function openRedisGate(
  url: string,
  { scope, process }: GateScope,
  { stepMaxMs, freshMs, refreshMs, claimMs }: GateLimits = GATE_LIMITS,
): GateStore {
  const guard = { admit: runOf, noteRefusal: () => {} };
  const connection = new RedisConnection<string>(url, CALL_MAX_MS, guard);
  const base = `lockyard:gate:{${scope}}:`;
  const since = `${base}since`;
  const limits = [stepMaxMs, freshMs, refreshMs, claimMs];
  return {
    async exchange(messages) {
      const reply = await connection.call((redis, run) =>
        runExchange(redis, [since, `${base}c:`, process, run, ...limits, ...argumentsOf(messages)]),
      );
      return exchangeOf(reply, messages);
    },
    async restart() {
      await connection.call((redis) => redis.del(since));
    },
    connect: () => connection.call(async () => undefined),
    reconnect: () => connection.recheck(),
    close: () => connection.close(),
  };
}

/** What distinguishes a server that has restarted, or another one: it may have lost everything. */
async function runOf(redis: Redis): Promise<string> {
  const run = /^run_id:(\w+)/m.exec(await redis.info('server'))?.[1];
  if (!run) throw new Error('This Redis does not say which run of it this is.');
  return run;
}

async function runExchange(redis: Redis, args: (string | number)[]): Promise<unknown> {
  try {
    return await redis.call('EVALSHA', SHA, 1, ...args);
  } catch (error) {
    if (!String((error as Error).message).startsWith('NOSCRIPT')) throw error;
    return redis.call('EVAL', LUA, 1, ...args);
  }
}

function argumentsOf(messages: GateMessage[]): (string | number)[] {
  const args: (string | number)[] = [];
  for (const { id, underWay, mayRead, news } of messages) {
    args.push(id, underWay.down, underWay.up, mayRead ? '1' : '');
    if (!news) args.push('', '', '', '', '', '', '');
    else if ('gone' in news) args.push('gone', '', '', '', '', '', news.over ?? '');
    else {
      const { rev, value, reading } = news;
      if (!reading) args.push(rev, value, '', '', '', '', '');
      else {
        const { floor, ceiling, asOf, over } = reading;
        args.push(rev, value, '1', floor ?? '', ceiling ?? '', asOf, over ?? '');
      }
    }
  }
  return args;
}

function exchangeOf(reply: unknown, messages: GateMessage[]): GateExchange {
  const list = reply as (string | number)[];
  if (!Array.isArray(list) || list.length !== 2 + REPLY_FIELDS * messages.length) {
    throw new Error('The gate answered something else than it was asked.');
  }
  const replies = messages.map((_, i) => replyAt(list, 2 + REPLY_FIELDS * i));
  return { now: Number(list[0]), readyInMs: Number(list[1]), replies };
}

function replyAt(list: (string | number)[], at: number): GateReply {
  const bound = (text: string | number | undefined) => (text === '' ? null : Number(text));
  const number = (offset: number) => Number(list[at + offset]);
  const state =
    list[at] === ''
      ? null
      : {
          rev: number(0),
          value: number(1),
          floor: bound(list[at + 2]),
          ceiling: bound(list[at + 3]),
        };
  return {
    state,
    asOf: number(4),
    underWay: { down: number(5), up: number(6) },
    readIsDue: list[at + 7] === 1,
    wasCorrected: list[at + 8] === 1,
  };
}
