import { LockyardError } from '../contract/errors';

/** The instant from which tokens count: 1 January 2025, UTC, in epoch milliseconds. */
export const TOKEN_ERA_AT = Date.UTC(2025, 0, 1);

/** A token is `epoch · 2^41 + counter`: 12 and 41 bits, exact in JavaScript, Lua and SQL. */
const COUNTER_SPAN = 2 ** 41;

/** The highest epoch that fits a token. */
export const EPOCH_MAX = 2 ** 12 - 1;

/**
 * The fencing token of the next grant: greater than `lastToken`, in `epoch` or above.
 *
 * A lock without a record (`lastToken` 0) starts its counter at the backend's clock. So a lock
 * whose record was forgotten, evicted or deleted never repeats a token, as long as that clock does
 * not step back further than the record has been gone. A backend that lost data must raise its
 * epoch first; then tokens do not repeat even if its clock steps back.
 *
 * @param lastToken the last token of this lock, or 0
 * @param epoch of the backend, 1 to `EPOCH_MAX`
 * @param now the backend's clock, epoch milliseconds
 * @throws LockyardError `UNSUPPORTED` when the tokens of the epoch are used up: the next one would
 *   belong to a later epoch, or would not be exact
 */
export function nextToken(lastToken: number, epoch: number, now: number): number {
  const token = tokenAfter(lastToken, epoch, now);
  if (token !== null) return token;
  throw new LockyardError('UNSUPPORTED', USED_UP);
}

const USED_UP =
  'The fencing tokens of this lock are used up in the present epoch of its backend. Nothing ' +
  'was changed. Make a backup and restore it with `restore --replace`: that begins the next epoch.';

/**
 * A lower bound of all future tokens of a lock that is not held, and above its former ones.
 *
 * Without a record it is some way below the clock: the process that grants next may estimate the
 * store's clock a little lower, as with ZooKeeper. The tokens of a deleted record are lower still.
 */
export function lowestFutureToken(lastToken: number, epoch: number, now: number): number {
  if (lastToken === 0) return epoch * COUNTER_SPAN + highestDeletedRev(now) + 1;
  const token = tokenAfter(lastToken, epoch, now);
  return token ?? Math.min(lastToken + 1, Number.MAX_SAFE_INTEGER);
}

/** The token of the next grant; null: the tokens of the epoch are used up. */
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
 * The token from which a lock restored from a backup continues; it is itself never granted. It is
 * above every token that the lock can have had in any epoch below this one, and above those of an
 * earlier restore of the same backup elsewhere, unless the lock was granted more than once a
 * millisecond ever since. If more than half of the epoch's tokens are used up, the counter starts
 * from the clock again.
 */
export function restoredToken(lastToken: number, epoch: number, now: number): number {
  const counter = lastToken % COUNTER_SPAN;
  const kept = counter < COUNTER_SPAN / 2 ? counter : 0;
  return Math.max(epoch * COUNTER_SPAN + Math.max(kept, sinceEra(now)), lastToken);
}

/** A record may be deleted once its rev and last token are this far below those of a new one. */
const DELETION_MARGIN_MS = 10 * 60_000;

/**
 * The highest rev of any record that can have been deleted by `now`. If a stored rev is at most
 * this, a missing record was deleted, not read before its first write.
 */
export function highestDeletedRev(now: number): number {
  return Math.max(0, sinceEra(now) - DELETION_MARGIN_MS);
}

/**
 * The instant of the backend's clock from which a new record starts at least `DELETION_MARGIN_MS`
 * above this rev and token. If the record were deleted sooner, its tokens or revs could repeat.
 *
 * @param lastToken the last token of the lock; 0 if it was never granted
 * @param epoch of the backend
 */
export function startsAboveFrom(rev: number, lastToken: number, epoch: number): number {
  const counter = lastToken === 0 ? 0 : lastToken - epoch * COUNTER_SPAN;
  return TOKEN_ERA_AT + Math.max(rev, counter) + DELETION_MARGIN_MS;
}

/** Milliseconds since 2025, at least 1: where the counters of a new record start. */
export function sinceEra(now: number): number {
  return Math.max(1, Math.floor(now) - TOKEN_ERA_AT);
}
