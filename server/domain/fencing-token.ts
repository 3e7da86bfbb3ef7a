import { LockyardError } from './errors';

/** Tokens count from here: 1 January 2025, UTC, in epoch milliseconds. */
export const TOKEN_ERA_AT = Date.UTC(2025, 0, 1);

/** A token is `epoch · 2^41 + counter`: 12 bits and 41 bits, so it is exact in JavaScript, Lua and SQL. */
const COUNTER_SPAN = 2 ** 41;

/** The highest epoch that fits a token. */
export const EPOCH_MAX = 2 ** 12 - 1;

/**
 * The fencing token of the next grant: greater than `lastToken`, in `epoch` or above.
 *
 * A lock whose record is not found (`lastToken` 0) starts its counter at the backend's clock, so that one that was
 * forgotten, evicted or deleted never repeats a token as long as that clock does not step back further than the
 * record has been gone. A backend that lost its memory must raise its epoch first; then even that does not matter.
 *
 * @param lastToken the last token of this lock, or 0
 * @param epoch of the backend, 1 to `EPOCH_MAX`
 * @param now the backend's clock, epoch milliseconds
 * @throws LockyardError `INTERNAL` rather than a token that is not exact any more
 */
export function nextToken(lastToken: number, epoch: number, now: number): number {
  const floor = epoch * COUNTER_SPAN;
  const counter = lastToken === 0 ? sinceEra(now) : (lastToken % COUNTER_SPAN) + 1;
  const token = Math.max(floor + counter, lastToken + 1);
  if (Number.isSafeInteger(token)) return token;
  throw new LockyardError('INTERNAL', 'This backend has used up its fencing tokens.');
}

/**
 * The token that a lock brought back from a backup counts on from: above every token that it can have granted before,
 * in whatever epoch below this one, and above those of an earlier restore of the same backup to a place that knew
 * nothing of it, unless the lock was granted more than once a millisecond ever since. Nobody is granted this one.
 */
export function restoredToken(lastToken: number, epoch: number, now: number): number {
  return Math.max(
    epoch * COUNTER_SPAN + Math.max(lastToken % COUNTER_SPAN, sinceEra(now)),
    lastToken,
  );
}

/** Milliseconds since 2025, at least 1: where the counters of a record that was not found begin. */
export function sinceEra(now: number): number {
  return Math.max(1, Math.floor(now) - TOKEN_ERA_AT);
}
