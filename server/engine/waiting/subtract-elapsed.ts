import type { HolderView } from '../../contract/primitives';
import type { MultiLockAnswer } from '../../core/multi-lock/multi-lock-command';

interface TimedAnswer {
  expiresInMs?: number;
  holders?: HolderView[];
}

/**
 * The answer as of `elapsedMs` after the record was read. The time left of every lease is measured
 * from before the read, so it is never too long. Instants do not change, nor does the time until a
 * lock frees, which must never be too short.
 */
export function subtractElapsed<A>(answer: A, elapsedMs: number): A {
  const { expiresInMs, holders } = answer as TimedAnswer;
  if (expiresInMs === undefined && !holders?.length) return answer;
  const aged = { ...answer } as A & TimedAnswer;
  const left = (ms: number) => Math.max(0, Math.floor(ms - elapsedMs));
  if (expiresInMs !== undefined) aged.expiresInMs = left(expiresInMs);
  if (holders) aged.holders = holders.map((h) => ({ ...h, expiresInMs: left(h.expiresInMs) }));
  return aged;
}

/** `subtractElapsed` for the answer to a multi-lock. */
export function subtractElapsedMultiLock(
  answer: MultiLockAnswer,
  elapsedMs: number,
): MultiLockAnswer {
  if ('grants' in answer) {
    return { ...answer, grants: answer.grants.map((grant) => subtractElapsed(grant, elapsedMs)) };
  }
  if ('blockedBy' in answer) {
    const blockedBy = answer.blockedBy.map((lock) => subtractElapsed(lock, elapsedMs));
    return { ...answer, blockedBy };
  }
  return answer;
}
