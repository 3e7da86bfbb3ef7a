import type { ForceReleaseAnswer, NextHolder } from '../../../contract/console/operator-answers';
import type { Draft } from '../../draft';
import { expireAndPromote, handOff } from '../expire-and-promote';
import { endHold } from '../hold-lifecycle';
import { grantedTo, offeredTo } from '../lock-answers';
import type { ForceReleaseCommand } from '../lock-command';
import { hasOffer, holdOf, type LockRecord, waiterAt } from '../lock-record';
import { changedAnswer } from './changed-answer';

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
  endHold(draft, hold, 'forced', { why: { by, reason } });
  handOff(draft);
  const queueLength = draft.record.queue.length;
  const next = nextHolder(draft, { lastToken, offers });
  const answer = { outcome: 'forced', rev: draft.rev, token, next, queueLength } as const;
  draft.remember(request, answer, draft.now);
  return answer;
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
