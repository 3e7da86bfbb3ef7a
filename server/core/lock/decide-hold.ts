import { LockyardError } from '../../contract/errors';
import type { ReleaseAnswer, RenewAnswer } from '../../contract/lock/answers';
import type { Draft } from '../draft';
import { endExpiredHolds, expireAndPromote, handOff } from './expire-and-promote';
import { endHold, freshLease, keepReleased, removeEntry, updateHold } from './hold-lifecycle';
import { lostAnswer, releasedAnswer, renewedAnswer } from './lock-answers';
import type { LockAnswers, ReleaseCommand, RenewCommand, RevertGrantCommand } from './lock-command';
import { type Hold, holdOf, isReleased } from './lock-record';

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

/**
 * Reverts a late grant or re-entry, unless a repeat of its request can still receive it. If the
 * hold continues, the answer is stored: nothing in the record shows which entry was removed.
 */
export function decideRevertGrant(
  draft: Draft,
  { token, request }: RevertGrantCommand,
): LockAnswers['revertGrant'] {
  const replay = draft.replay<LockAnswers['revertGrant']>(request);
  if (replay) return replay;
  const hold = holdOf(draft.record, token);
  if (!hold || isReleased(hold)) return { outcome: 'gone' };
  if (hold.requests.length >= hold.count) return { outcome: 'kept' };
  const answer = { outcome: 'reverted' } as const;
  if (hold.count > 1) {
    removeEntry(draft, hold);
    draft.remember(request, answer, hold.requestsKeptUntil);
  } else revertHold(draft, hold);
  expireAndPromote(draft);
  return answer;
}

function revertHold(draft: Draft, hold: Hold): void {
  endExpiredHolds(draft, hold);
  if (draft.record.holds.includes(hold)) endHold(draft, hold, 'late');
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
