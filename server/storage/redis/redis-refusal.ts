import { tlsFailure } from '@/db/tls-failure';
import { StoreError } from '../record-store';
import { IS_REPLICA } from './redis-facts';
import { REFUSAL } from './redis-script';

const OTHER_NODE =
  'This Redis is part of a cluster and does not keep the slot of {lockyard}: name the one ' +
  'that does.';

const SLOT_MOVES =
  'The slot of {lockyard} is being moved to another node of this Redis cluster, and is used ' +
  'again once that is done: name that node then.';

const CLUSTER_DOWN =
  'The Redis cluster is down, or none of its nodes serves the slot of {lockyard} (CLUSTERDOWN).';

/** A command's key is not on this server. Every script finds that out before its first write. */
const NON_LOCAL = /^ERR Script attempted to access a non local key\b/;

/** The meaning of the first word of a Redis refusal, for those that callers should see. */
const MEANINGS: [RegExp, string][] = [
  [/^OOM\b/, 'The memory of this Redis is full (maxmemory): it takes no writes (OOM).'],
  [/^MISCONF\b/, 'This Redis cannot write to its disk: it takes no writes (MISCONF).'],
  [
    /^NOREPLICAS\b/,
    'This Redis has fewer replicas than min-replicas-to-write: it takes no writes (NOREPLICAS).',
  ],
  [/^WRONGPASS\b/, 'This Redis refuses the user or the password of its URL (WRONGPASS).'],
  [/^NOAUTH\b/, 'This Redis asks for a password, and its URL has none (NOAUTH).'],
  [
    /^NOPERM\b|^ERR (The user executing the script can't|ACL failure in script)/,
    'The user of this Redis may not run what Lockyard needs (NOPERM).',
  ],
  [
    /^ERR max number of clients reached/,
    'This Redis has as many clients as it accepts (maxclients).',
  ],
  [
    /^DENIED\b/,
    'This Redis is in protected mode: without a password it accepts its own machine only (DENIED).',
  ],
  [/^ERR DB index is out of range/, 'This Redis has no database of the number that its URL names.'],
  [/^READONLY\b/, IS_REPLICA],
  [/^MOVED\b/, OTHER_NODE],
  [/^(ASK|TRYAGAIN)\b/, SLOT_MOVES],
  [NON_LOCAL, SLOT_MOVES],
  [/^CLUSTERDOWN\b|^ERR Script attempted to execute a .*\bcluster is down\b/, CLUSTER_DOWN],
];

/** Ends a refusal of a command in a script: what the script wrote before that command stays. */
const WITHIN_SCRIPT = /\bscript: [0-9a-f]{40}, on @/;

/** The error for a user who may not run a command that a script runs after it has written. */
export function missingRight(command: string): StoreError {
  const refusal = `The user of this Redis may not run ${command}, which Lockyard needs.`;
  return new StoreError(refusal, 'no', { refusal });
}

/**
 * The error for a refusal by Redis: nothing of the call was applied, unless it was a command within
 * a script.
 *
 * @param reply the refusal as Redis worded it
 */
export function redisRefusal(reply: string, cause: unknown): StoreError {
  if (reply.startsWith(REFUSAL)) {
    return new StoreError('Redis no longer has its earlier data.', 'no', { cause });
  }
  const refusal = MEANINGS.find(([pattern]) => pattern.test(reply))?.[1] ?? null;
  const isWhole = NON_LOCAL.test(reply) || !WITHIN_SCRIPT.test(reply);
  const applied = isWhole ? 'no' : 'unknown';
  return new StoreError(refusal ?? `Redis refuses: ${reply.split('\n')[0]}`, applied, {
    cause,
    refusal,
  });
}

/**
 * The error for a connection that could not be made.
 *
 * @param reply the refusal as Redis worded it; null: none
 * @param isSecure whether TLS was used: a server without TLS takes the handshake for the beginning
 *   of a long command and does not answer
 */
export function redisUnreached(
  reply: string | null,
  cause: unknown,
  isSecure: boolean,
): StoreError {
  if (reply !== null) {
    const { message, refusal } = redisRefusal(reply, cause);
    return new StoreError(message, 'no', { cause, refusal });
  }
  const why = tlsFailure(cause);
  const refusal = why && `Redis cannot be used: ${why}.`;
  const silent = isSecure ? ', or it does not speak TLS on this port' : '';
  return new StoreError(refusal ?? `Redis cannot be reached${silent}.`, 'no', { cause, refusal });
}
