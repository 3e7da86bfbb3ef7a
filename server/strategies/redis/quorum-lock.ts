/*
 * Strategy 16, third of three: a quorum over independent Redis nodes. Timed, never Strong.
 *
 * The lock is that of strategy 12 on each of N nodes that do not know of each other. It is granted
 * if a majority grants it, so a node may be down or have lost its data. The lease counts from
 * before the first request: the time that the requests took is subtracted, with an allowance for
 * clocks that run at different speeds, and a lock with no time left is not granted. A lock without
 * a majority is released on all nodes.
 *
 * Known limits: its exclusion is Timed. It relies on clocks that run at about the same speed and on
 * pauses shorter than the lease; a process that is paused after the check, or a node that restarts
 * empty within a lease, gives the lock to two callers. It has no fencing token: the nodes share no
 * counter. Every cycle costs two requests to each node. Waiters poll after random pauses, or they
 * would split the nodes among themselves for ever. Nodes that replicate each other count as one
 * node. Connections should not queue commands while a node is down (`enableOfflineQueue: false`).
 *
 * Source: catalogue, section C, strategy 16; the Redlock algorithm in the documentation of Redis,
 * and the debate about it.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { type Clock, systemClock } from '@/server/platform/clock';
import { TimeLimit } from '@/server/platform/time-limit';
import { pollUntilGranted } from '../poll-until-granted';
import { LEASE_MS, type LeaseOptions } from './lease-options';
import { redisScript } from './redis-script';

export interface QuorumOptions extends LeaseOptions {
  /** How long a node may take to answer. Default a tenth of the lease, at most 200 ms. */
  nodeMs?: number;
  clock?: Pick<Clock, 'monotonic'>;
}

/** The lock's promise: exclusion within bounds on time, not under all circumstances. */
export const QUORUM_CONSISTENCY = 'Timed';

const DRIFT_SHARE = 0.01;
const DRIFT_MS = 2;
const RANDOM_PAUSE_MS = 10;

const UNLOCK = redisScript<number>(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
`);

const keyOf = (name: string, { prefix = 'quorum-lock:' }: QuorumOptions) => `${prefix}${name}`;

/**
 * Tries once on all nodes. Returns how many milliseconds the lock is still granted for; null if no
 * majority granted it in time.
 */
export async function tryQuorumLock(
  nodes: readonly Redis[],
  name: string,
  owner: string,
  options: QuorumOptions = {},
): Promise<number | null> {
  const { leaseMs = LEASE_MS, clock = systemClock } = options;
  const key = keyOf(name, options);
  const startedAt = clock.monotonic();
  const answers = await askAll(nodes, options, (node) => node.set(key, owner, 'PX', leaseMs, 'NX'));
  const granted = answers.filter((answer) => answer === 'OK').length;
  const elapsedMs = clock.monotonic() - startedAt;
  const leftMs = leaseMs - elapsedMs - (leaseMs * DRIFT_SHARE + DRIFT_MS);
  if (isMajority(granted, nodes) && leftMs > 0) return leftMs;
  await unlockQuorum(nodes, name, owner, options);
  return null;
}

/**
 * Releases the lock on all nodes, including those that did not answer: they may have granted it.
 * False: it was lost before, on so many nodes that the others are not a majority. A node that does
 * not answer now does not count as one that lost it.
 */
export async function unlockQuorum(
  nodes: readonly Redis[],
  name: string,
  owner: string,
  options: QuorumOptions = {},
): Promise<boolean> {
  const key = keyOf(name, options);
  const answers = await askAll(nodes, options, (node) => UNLOCK(node, [key], [owner]));
  const lost = answers.filter((answer) => answer === 0).length;
  return isMajority(nodes.length - lost, nodes);
}

/** Rejects with `NotGranted` if no majority grants the lock within `waitMs`. */
export async function withQuorumLock<T>(
  nodes: readonly Redis[],
  name: string,
  work: () => Promise<T>,
  options: QuorumOptions = {},
): Promise<T> {
  const owner = randomUUID();
  const tryOnce = async () => {
    const leftMs = await tryQuorumLock(nodes, name, owner, options);
    if (leftMs === null) await pause(Math.random() * RANDOM_PAUSE_MS);
    return leftMs;
  };
  await pollUntilGranted(name, tryOnce, options);
  try {
    return await work();
  } finally {
    if (!(await unlockQuorum(nodes, name, owner, options))) options.onLost?.();
  }
}

const isMajority = (count: number, nodes: readonly Redis[]) => count > nodes.length / 2;

/** Null for a node that failed or did not answer in time. */
async function askAll<Answer>(
  nodes: readonly Redis[],
  { leaseMs = LEASE_MS, nodeMs = Math.min(leaseMs / 10, 200) }: QuorumOptions,
  ask: (node: Redis) => Promise<Answer>,
): Promise<(Answer | null)[]> {
  const limit = new TimeLimit(nodeMs, () => new Error('The node did not answer in time.'));
  const answers = nodes.map((node) => limit.race(ask(node)).catch(() => null));
  try {
    return await Promise.all(answers);
  } finally {
    limit.stop();
  }
}
