import { tlsFailure } from '@/db/tls-failure';
import { StoreError } from './record-store';
import { IS_REPLICA } from './redis-facts';
import { REFUSAL } from './redis-script';

const OTHER_NODE =
  'This Redis is part of a cluster and does not keep the slot of {lockyard}: name the one that does.';

/** What a Redis means by the first word of its refusal, where a caller should hear of it. */
const MEANT: [RegExp, string][] = [
  [/^OOM\b/, 'The memory of this Redis is full (maxmemory): it takes no writes (OOM).'],
  [/^MISCONF\b/, 'This Redis cannot write to its disk: it takes no writes (MISCONF).'],
  [
    /^NOREPLICAS\b/,
    'This Redis has fewer replicas than min-replicas-to-write: it takes no writes (NOREPLICAS).',
  ],
  [/^READONLY\b/, IS_REPLICA],
  [/^(MOVED|ASK|CLUSTERDOWN)\b/, OTHER_NODE],
];

/**
 * The error for a refusal of a Redis: nothing of the call was applied.
 *
 * @param said as the Redis said it
 */
export function redisRefusal(said: string, cause: unknown): StoreError {
  if (said.startsWith(REFUSAL)) {
    return new StoreError('Redis is not the memory that it was.', 'no', { cause });
  }
  const refusal = MEANT.find(([pattern]) => pattern.test(said))?.[1] ?? null;
  return new StoreError(refusal ?? `Redis refuses: ${said.split('\n')[0]}`, 'no', {
    cause,
    refusal,
  });
}

/**
 * What it means that no connection came about.
 *
 * @param said as the Redis said it; null: it said nothing
 * @param isSecure one that does not speak TLS waits for the end of what it takes for a long command
 */
export function redisUnreached(said: string | null, cause: unknown, isSecure: boolean): StoreError {
  if (said !== null) return redisRefusal(said, cause);
  const why = tlsFailure(cause);
  const refusal = why && `Redis cannot be used: ${why}.`;
  const silent = isSecure ? ', or it does not speak TLS on this port' : '';
  return new StoreError(refusal ?? `Redis cannot be reached${silent}.`, 'no', { cause, refusal });
}
