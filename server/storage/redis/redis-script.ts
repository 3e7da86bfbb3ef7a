import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import checkAdmission from './lua/check-admission.lua';
import deleteRecords from './lua/delete-records.lua';
import endRecovery from './lua/end-recovery.lua';
import heartbeat from './lua/heartbeat.lua';
import inspect from './lua/inspect.lua';
import listRecords from './lua/list-records.lua';
import read from './lua/read.lua';
import startIncarnation from './lua/start-incarnation.lua';
import swap from './lua/swap.lua';

/**
 * Where the store keeps its data: all under one hash tag, so that a cluster stores it on one node
 * and one script may use all of it. Two installations on one Redis use two of its databases.
 */
export const KEYS = {
  /** A hash: current incarnation, its heartbeat, number of records, last number of the history. */
  marker: '{lockyard}:life',
  /** A sorted set of the ids of all records. */
  ids: '{lockyard}:ids',
  /** A stream. */
  history: '{lockyard}:h',
} as const;

/** Prefixes of the keys of records, of their queues and of remembered answers. */
export const PREFIX = {
  record: '{lockyard}:r:',
  queue: '{lockyard}:w:',
  answer: '{lockyard}:q:',
} as const;

/** Begins a record that has a queue, and one that has none. */
export const HAS_QUEUE = 'q';
export const NO_QUEUE = '-';

/** Begins every refusal of our scripts; the rest says what is wrong with the incarnation. */
export const REFUSAL = 'LOCKYARD';

/** The names that every script can use. */
const CONSTANTS = `
local IDS, HISTORY = '${KEYS.ids}', '${KEYS.history}'
local RECORD, QUEUE, ANSWER = '${PREFIX.record}', '${PREFIX.queue}', '${PREFIX.answer}'
local HAS_QUEUE, HAS_QUEUE_BYTE = '${HAS_QUEUE}', ${HAS_QUEUE.charCodeAt(0)}
local REFUSAL = '${REFUSAL}'
`;

/** One value of a script's reply. */
export type Reply = string | number | null | Reply[];

/**
 * A constant Lua script from the folder `lua`; its first lines say what it takes and returns.
 * Callers' input is passed as `ARGV` only, never as part of its text; `KEYS[1]` is the marker,
 * which represents every other key that the script uses, since all share its slot.
 */
class RedisScript {
  private readonly lua: string;
  /** The hash by which Redis knows the script. */
  readonly sha: string;

  /** @param flag `allow-oom` for a script that also runs while the memory is full, to free some */
  constructor(lua: string, flag: 'no-writes' | 'allow-oom' | null) {
    this.lua = `#!lua${flag === null ? '' : ` flags=${flag}`}${CONSTANTS}${lua}`;
    this.sha = createHash('sha1').update(this.lua).digest('hex');
  }

  /**
   * Runs the script by its hash; a server that lacks it has run nothing and is sent the whole text.
   *
   * @param sendBehind sends another command directly after it
   */
  async run(redis: Redis, args: (string | number)[], sendBehind = () => {}): Promise<Reply> {
    const rest = [1, KEYS.marker, ...args];
    const send = (...call: [string, string]) => {
      const reply = redis.call(...call, ...rest);
      sendBehind();
      return reply as Promise<Reply>;
    };
    try {
      return await send('EVALSHA', this.sha);
    } catch (error) {
      if (!String((error as Error).message).startsWith('NOSCRIPT')) throw error;
      return await send('EVAL', this.lua);
    }
  }
}

export const INSPECT = new RedisScript(inspect, 'no-writes');
export const READ = new RedisScript(checkAdmission + read, 'no-writes');
export const SWAP = swapScript(false);
/** For a server in a cluster: writes nothing unless every key that it writes is on that server. */
export const SWAP_IN_CLUSTER = swapScript(true);
export const DELETE_RECORDS = new RedisScript(checkAdmission + deleteRecords, 'allow-oom');
export const HEARTBEAT = new RedisScript(checkAdmission + heartbeat, null);

export const START_INCARNATION = new RedisScript(startIncarnation, null);
export const LIST_RECORDS = new RedisScript(listRecords, null);
export const END_RECOVERY = new RedisScript(endRecovery, null);

function swapScript(isInCluster: boolean): RedisScript {
  return new RedisScript(`local IN_CLUSTER = ${isInCluster}\n${checkAdmission}${swap}`, null);
}
