import { LockyardError } from '../../contract/errors';
import type { AcquireAnswer } from '../../contract/lock/answers';
import type { Draft } from '../draft';
import { metaAfterReentry } from '../status/process-identity';
import { handOff } from './expire-and-promote';
import { extendedKeep, freshLease, rememberGrant, updateHold } from './hold-lifecycle';
import { grantedAnswer } from './lock-answers';
import type { AcquireCommand } from './lock-command';
import { HOLD_COUNT_MAX, type Hold, isOwnOf, type LockRecord } from './lock-record';
import { removeWaiters, waitedMs, waiterOf } from './queue';

/**
 * The owner's hold in the same mode and with the same number of permits, if any.
 *
 * @throws LockyardError `CONFLICT` if the owner holds another number of permits
 */
export function holdToEnter({ holds }: LockRecord, ask: AcquireCommand): Hold | null {
  const mine = holds.filter((hold) => isOwnOf(hold, ask) && hold.mode === ask.mode);
  const same = mine.find(({ permits }) => permits === ask.permits);
  const [other] = mine;
  if (same || !other) return same ?? null;
  const text = `This owner holds ${other.permits} permits, and may enter again with that number.`;
  throw new LockyardError('CONFLICT', text);
}

/** The token stays the same, the count rises, and the lease is renewed, never shortened. */
export function reenter(draft: Draft, hold: Hold, ask: AcquireCommand): AcquireAnswer {
  if (hold.count >= HOLD_COUNT_MAX) {
    const text = `This hold was entered ${HOLD_COUNT_MAX} times, the limit: release it first.`;
    throw new LockyardError('CONFLICT', text);
  }
  const { key, remembered } = ask.request;
  const next = updateHold(draft, hold, {
    count: hold.count + 1,
    ...freshLease(draft, hold, ask.leaseMs),
    ...extendedKeep(draft, hold, ask),
    requests: remembered ? [...hold.requests, key] : hold.requests,
    meta: metaAfterReentry(hold.meta, ask.meta),
  });
  const { token, count, expiresAt } = next;
  draft.addEvent('reentered', next, { token, holdCount: count, expiresAt });
  rememberGrant(draft, ask, next);
  return grantedAnswer(draft, next);
}

/**
 * The hold that an acquire can enter although it waits: its owner was granted the lock by another
 * call. Null: there is none, or the acquire is not re-entrant.
 */
export function holdToEnterFromQueue({ holds }: LockRecord, ask: AcquireCommand): Hold | null {
  if (!ask.reentrant) return null;
  const isEnterable = (hold: Hold) =>
    isOwnOf(hold, ask) &&
    hold.mode === ask.mode &&
    hold.permits === ask.permits &&
    hold.count < HOLD_COUNT_MAX;
  return holds.find(isEnterable) ?? null;
}

/** Enters such a hold, and leaves the queue. Null: there is none. */
export function enterFromQueue(draft: Draft, ask: AcquireCommand): AcquireAnswer | null {
  const hold = holdToEnterFromQueue(draft.record, ask);
  const waiter = hold && waiterOf(draft.record, ask.request.key);
  if (!hold || !waiter) return null;
  draft.addEvent('cancelled', waiter, { waitedMs: waitedMs(draft, waiter) });
  removeWaiters(draft, [waiter]);
  const answer = reenter(draft, hold, ask);
  handOff(draft);
  return answer;
}
