import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import {
  GATE_ASK_AGAIN_MS,
  GATE_CLAIM_MS,
  GATE_FRESH_MS,
  GATE_REFRESH_MS,
  GATE_STEP_MAX_MS,
} from '../../core/timing';
import { RedisConnection } from '../redis/redis-connection';
import exchange from './exchange.lua';
import type { GateStore } from './gate-store';
import { markArguments, messageArguments, parseExchange } from './gate-wire';

const LUA = `#!lua\n${exchange}`;
const SHA = createHash('sha1').update(LUA).digest('hex');

/** A connection without an answer for this long is closed, whatever its callers wait for. */
const CALL_MAX_MS = 1_000;

/** Whose counters a gate keeps, and for which process. */
export interface GateScope {
  /**
   * The same for all processes of one installation, for one of its backends; letters and digits.
   */
  scope: string;
  /** Unique to this process. */
  process: string;
}

/** How long steps, readings and claims last at a gate, in milliseconds: see `core/timing.ts`. */
export interface GateLimits {
  stepMaxMs: number;
  freshMs: number;
  refreshMs: number;
  claimMs: number;
  askAgainMs: number;
}

export const GATE_LIMITS: GateLimits = {
  stepMaxMs: GATE_STEP_MAX_MS,
  freshMs: GATE_FRESH_MS,
  refreshMs: GATE_REFRESH_MS,
  claimMs: GATE_CLAIM_MS,
  askAgainMs: GATE_ASK_AGAIN_MS,
};

/**
 * A gate's Redis. Its keys are `lockyard:gate:{<scope>}:…`, all in one slot of a cluster; those of
 * counters and processes expire.
 *
 * @param url `redis:` or `rediss:`
 */
export function openRedisGate(
  url: string,
  { scope, process }: GateScope,
  limits: GateLimits = GATE_LIMITS,
): GateStore {
  const guard = { admit: runOf, noteRefusal: () => {} };
  const connection = new RedisConnection<string>(url, CALL_MAX_MS, guard);
  const base = `lockyard:gate:{${scope}}:`;
  const since = `${base}since`;
  const keys = [since, `${base}changes`, `${base}last:${process}`];
  const { stepMaxMs, freshMs, refreshMs, claimMs } = limits;
  const spans = [stepMaxMs, freshMs, refreshMs, claimMs].map(String);
  let sent = 0;
  return {
    async exchange(messages, seen) {
      const reply = await connection.call((redis, run) => {
        sent += 1;
        const mine = [
          `${base}counter:`,
          process,
          run,
          String(sent),
          ...markArguments(seen),
          ...spans,
        ];
        return runExchange(redis, keys, [...mine, ...messageArguments(messages)]);
      });
      return parseExchange(reply, messages, limits);
    },
    async restart() {
      await connection.call((redis) => redis.del(since));
    },
    connect: () => connection.call(async () => undefined),
    reconnect: () => connection.recheck(),
    close: () => connection.close(),
  };
}

/** The id of the server's run: if it differs from an earlier one, everything may be lost. */
async function runOf(redis: Redis): Promise<string> {
  const run = /^run_id:(\w+)/m.exec(await redis.info('server'))?.[1];
  if (!run) throw new Error('This Redis does not report its run_id.');
  return run;
}

async function runExchange(redis: Redis, keys: string[], args: string[]): Promise<unknown> {
  try {
    return await redis.call('EVALSHA', SHA, keys.length, ...keys, ...args);
  } catch (error) {
    if (!String((error as Error).message).startsWith('NOSCRIPT')) throw error;
    return redis.call('EVAL', LUA, keys.length, ...keys, ...args);
  }
}
