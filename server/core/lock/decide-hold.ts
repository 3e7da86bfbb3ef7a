import type {
  Changed,
  ExtendAnswer,
  ForceReleaseAnswer,
  NextHolder,
  ReleaseRequestAnswer,
} from '../../contract/console/operator-answers';
import { LockyardError } from '../../contract/errors';
import type { ReleaseAnswer, RenewAnswer } from '../../contract/lock/answers';
import { LEASE_MAX_MS } from '../../contract/namespace-policy';
import type { Draft } from '../draft';
import { endExpiredHolds, expireAndPromote, handOff } from './expire-and-promote';
import { endHold, freshLease, keepReleased, removeEntry, updateHold } from './hold-lifecycle';
import {
  grantedTo,
  holderViews,
  lockState,
  lostAnswer,
  offeredTo,
  releasedAnswer,
  renewedAnswer,
} from './lock-answers';
import type {
  ExtendCommand,
  ForceReleaseCommand,
  ReleaseCommand,
  ReleaseRequestCommand,
  RenewCommand,
  RevertGrantCommand,
} from './lock-command';
import { type Hold, hasOffer, holdOf, isReleased, type LockRecord, waiterAt } from './lock-record';

/**
 * Extends the current hold, never shortens it, and delivers operators' messages to its holder. An
 * expired lease is never revived, even if no other caller has taken the lock since. The end of a
 * hold does not change if its renewals were stopped, or if it was released and only keeps the lock
 * taken.
 */
export function decideRenew(draft: Draft, command: RenewCommand): RenewAnswer {
  expireAndPromote(draft);
  const hold = ownHold(draft, command);
  if (!hold) return lostAnswer(draft.record, command.token, command.owner, draft.now);
  if (isReleased(hold)) return releasedAnswer(hold, draft.now);
  const next = updateHold(draft, hold, {
    ...freshLease(draft, hold, command.leaseMs),
    renewedAt: draft.now,
    renewals: hold.renewals + 1,
  });
  draft.addEvent('renewed', hold, { token: hold.token, expiresAt: next.expiresAt });
  return renewedAnswer(next, draft.rev, draft.now);
}

/**
 * Ends the current hold or removes one entry; `lost` for a caller that no longer holds it. Before
 * the hold's `keptUntil`, a release leaves the lock taken until then, without an owner.
 */
export function decideRelease(draft: Draft, command: ReleaseCommand): ReleaseAnswer {
  const replay = draft.replay<ReleaseAnswer>(command.request);
  if (replay) return releasedAgain(replay, draft.now);
  expireAndPromote(draft);
  const hold = ownHold(draft, command);
  if (!hold) return lostAnswer(draft.record, command.token, command.owner, draft.now);
  if (isReleased(hold)) return releasedAnswer(hold, draft.now);
  const answer = releaseEntry(draft, hold);
  const endsAt = Math.max(draft.now, hold.keptUntil ?? 0);
  draft.remember(command.request, answer, hold.count > 1 ? hold.requestsKeptUntil : endsAt);
  return answer;
}

/** The stored answer, with the time that is left now. */
function releasedAgain(answer: ReleaseAnswer, now: number): ReleaseAnswer {
  if (answer.outcome !== 'released' || answer.freesAt === undefined) return answer;
  return { ...answer, freesInMs: Math.max(0, answer.freesAt - now) };
}

function releaseEntry(draft: Draft, hold: Hold): ReleaseAnswer {
  if (hold.count > 1) return { outcome: 'decremented', holdCount: removeEntry(draft, hold) };
  const { keptUntil } = hold;
  if (keptUntil !== undefined && !draft.isPast(keptUntil)) {
    return releasedAnswer(keepReleased(draft, hold, keptUntil), draft.now);
  }
  endHold(draft, hold, 'released');
  handOff(draft);
  return { outcome: 'released' };
}

/** Reverts a late grant or re-entry, unless a repeat of its request can still receive it. */
export function decideRevertGrant(draft: Draft, { token }: RevertGrantCommand) {
  const hold = holdOf(draft.record, token);
  if (!hold || isReleased(hold)) return { outcome: 'gone' } as const;
  if (hold.requests.length >= hold.count) return { outcome: 'kept' } as const;
  if (hold.count > 1) removeEntry(draft, hold);
  else revertHold(draft, hold);
  expireAndPromote(draft);
  return { outcome: 'reverted' } as const;
}

function revertHold(draft: Draft, hold: Hold): void {
  endExpiredHolds(draft, hold);
  if (draft.record.holds.includes(hold)) endHold(draft, hold, 'late');
}

/**
 * Ends the hold that the operator saw, even if it was released and only keeps the lock taken; or
 * changes nothing. The revoked token is invalid immediately.
 */
export function decideForceRelease(draft: Draft, command: ForceReleaseCommand): ForceReleaseAnswer {
  const replay = draft.replay<ForceReleaseAnswer>(command.request);
  if (replay) return replay;
  expireAndPromote(draft);
  const { token, by, reason, request } = command;
  const hold = holdOf(draft.record, token);
  if (!hold) return changedAnswer(draft, token);
  const { lastToken, offers } = draft.record;
  endHold(draft, hold, 'forced', draft.now, { by, reason });
  handOff(draft);
  const queueLength = draft.record.queue.length;
  const next = nextHolder(draft, { lastToken, offers });
  const answer = { outcome: 'forced', rev: draft.rev, token, next, queueLength } as const;
  draft.remember(request, answer, draft.now);
  return answer;
}

/**
 * Extends the hold that the operator saw, unless it was released; or changes nothing. No hold ends
 * later than `LEASE_MAX_MS` from now: a restore waits that long for holds that its backup lacks.
 *
 * @throws LockyardError `CONFLICT` if it would end later
 */
export function decideExtend(draft: Draft, command: ExtendCommand): ExtendAnswer {
  const replay = draft.replay<Extract<ExtendAnswer, { outcome: 'extended' }>>(command.request);
  if (replay) return { ...replay, expiresInMs: Math.max(0, replay.expiresAt - draft.now) };
  expireAndPromote(draft);
  const { token, extendMs, by, reason, request } = command;
  const hold = holdOf(draft.record, token);
  if (!hold || isReleased(hold)) return changedAnswer(draft, token);
  const expiresAt = hold.expiresAt + extendMs;
  if (expiresAt - draft.now > LEASE_MAX_MS) throw extendedTooFar();
  updateHold(draft, hold, { expiresAt });
  draft.addEvent('extended', hold, { token, expiresAt, by, reason });
  const expiresInMs = expiresAt - draft.now;
  const answer = { outcome: 'extended', rev: draft.rev, expiresAt, expiresInMs } as const;
  draft.remember(request, answer, draft.now);
  return answer;
}

function extendedTooFar(): LockyardError {
  const text = 'The lease would end more than 24 hours from now. Nothing was changed.';
  return new LockyardError('CONFLICT', text);
}

/** The caller's own live hold, or null. Naming another service's token is refused outright. */
function ownHold(
  { record }: Draft,
  claim: { service: string; owner: string; token: number },
): Hold | null {
  const hold = holdOf(record, claim.token);
  const named = hold ?? (record.ended?.token === claim.token ? record.ended : null);
  if (named && named.service !== claim.service) {
    throw new LockyardError('FORBIDDEN', 'This token belongs to a hold of another service.');
  }
  return hold?.owner === claim.owner ? hold : null;
}

/**
 * The answer when the hold that the operator saw has ended or was released: the current holders,
 * and how that hold ended.
 */
export function changedAnswer(draft: Draft, seenToken: number): Changed {
  const { record, now } = draft;
  const seenOwner = record.ended?.token === seenToken ? record.ended.owner : '';
  const kept = holdOf(record, seenToken);
  const { outcome: _, ...lost } = lostAnswer(record, seenToken, seenOwner, now);
  const ended = { ...lost, ...(kept && releasedThen(kept)) };
  return {
    outcome: 'changed',
    rev: draft.currentRev,
    state: lockState(record, now),
    holders: holderViews(record, now, undefined),
    queueLength: record.queue.length,
    ended,
  };
}

function releasedThen({ releasedAt }: Hold): Partial<Changed['ended']> {
  return releasedAt === undefined ? {} : { cause: 'released', at: releasedAt };
}

/** The party that got the lock when a hold ended. Offers made before do not count. */
function nextHolder(
  { record }: Draft,
  before: Pick<LockRecord, 'lastToken' | 'offers'>,
): NextHolder {
  const hold = record.holds.find(({ token }) => token > before.lastToken);
  if (hold) return grantedTo(hold);
  const offer = record.offers.find(({ ticket }) => !hasOffer(before, ticket));
  const waiter = offer && waiterAt(record, offer.ticket);
  return waiter ? offeredTo(waiter) : { kind: 'nobody' };
}

/** Leaves a message for the hold that the operator saw; its next renewal delivers it. */
export function decideReleaseRequest(
  draft: Draft,
  command: ReleaseRequestCommand,
): ReleaseRequestAnswer {
  const replay = draft.replay<ReleaseRequestAnswer>(command.request);
  if (replay) return replay;
  expireAndPromote(draft);
  const { verb, token, by, reason, request } = command;
  const hold = holdOf(draft.record, token);
  if (!hold || isReleased(hold)) return changedAnswer(draft, token);
  const remark = { by, reason, at: draft.now };
  const isAsked = verb === 'askRelease';
  updateHold(draft, hold, isAsked ? { askedToRelease: remark } : { renewalsStopped: remark });
  draft.addEvent(isAsked ? 'asked' : 'stopped', hold, { token, by, reason });
  const answer = { outcome: 'told', rev: draft.rev } as const;
  draft.remember(request, answer, draft.now);
  return answer;
}
