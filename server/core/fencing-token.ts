import { LockyardError } from '../contract/errors';

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
 * @throws LockyardError `UNSUPPORTED` where the tokens of the epoch are used up, so that the next one would be of an
 *   epoch to come, or not exact any more
 */
export function nextToken(lastToken: number, epoch: number, now: number): number {
  const token = tokenAfter(lastToken, epoch, now);
  if (token !== null) return token;
  throw new LockyardError('UNSUPPORTED', USED_UP);
}

const USED_UP =
  'The fencing tokens of this lock are used up in the present epoch of its backend. Nothing was changed. Make a backup and bring it back with `restore --replace`: that begins the next epoch.';

/** A lower bound of every token that can be granted from now on, where nobody holds the lock. */
export function lowestTokenToCome(lastToken: number, epoch: number, now: number): number {
  const token = tokenAfter(lastToken, epoch, now);
  return token ?? Math.min(lastToken + 1, Number.MAX_SAFE_INTEGER);
}

/** Null: there is none. */
function tokenAfter(lastToken: number, epoch: number, now: number): number | null {
  const floor = epoch * COUNTER_SPAN;
  const counter = counterAfter(lastToken, now);
  const isOfEarlier = lastToken < floor;
  if (counter >= COUNTER_SPAN && !isOfEarlier) return null;
  const token = Math.max(floor + (counter < COUNTER_SPAN ? counter : sinceEra(now)), lastToken + 1);
  return Number.isSafeInteger(token) ? token : null;
}

function counterAfter(lastToken: number, now: number): number {
  return lastToken === 0 ? sinceEra(now) : (lastToken % COUNTER_SPAN) + 1;
}

/**
 * The token that a lock brought back from a backup counts on from: above every token that it can have granted before,
 * in whatever epoch below this one, and above those of an earlier restore of the same backup to a place that knew
 * nothing of it, unless the lock was granted more than once a millisecond ever since. Nobody is granted this one. Where
 * more than half of an epoch's tokens are used up, they are counted from the clock again.
 */
export function restoredToken(lastToken: number, epoch: number, now: number): number {
  const counter = lastToken % COUNTER_SPAN;
  const kept = counter < COUNTER_SPAN / 2 ? counter : 0;
  return Math.max(epoch * COUNTER_SPAN + Math.max(kept, sinceEra(now)), lastToken);
}

/** How far below the start of a new record the last token and the rev of one must be that is deleted. */
const DELETION_MARGIN_MS = 10 * 60_000;

/**
 * The highest rev that a record can have had that was deleted by `now`. A caller's proof that a record which is not found
 * was deleted, and not read before it was first written.
 */
export function highestDeletedRev(now: number): number {
  return Math.max(0, sinceEra(now) - DELETION_MARGIN_MS);
}

/**
 * From when on, by the backend's clock, a record that is made anew starts at least `DELETION_MARGIN_MS` above these: only then
 * may this one be deleted, else its tokens or revs would repeat.
 *
 * @param lastToken the last token of the lock; 0 where none was granted
 * @param epoch of the backend
 */
export function startsAboveFrom(rev: number, lastToken: number, epoch: number): number {
  const counter = lastToken === 0 ? 0 : lastToken - epoch * COUNTER_SPAN;
  return TOKEN_ERA_AT + Math.max(rev, counter) + DELETION_MARGIN_MS;
}

/** Milliseconds since 2025, at least 1: where the counters of a record that was not found begin. */
export function sinceEra(now: number): number {
  return Math.max(1, Math.floor(now) - TOKEN_ERA_AT);
}
