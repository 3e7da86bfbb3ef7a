import type { ReassignAnswer, ReassignObstacle } from '../../../contract/console/operator-answers';
import type { Draft } from '../../draft';
import { expireAndPromote, handOff, hasRoom, isOpen, serveOutOfTurn } from '../expire-and-promote';
import { endHold } from '../hold-lifecycle';
import { grantedTo, offeredTo } from '../lock-answers';
import type { ReassignCommand } from '../lock-command';
import { type Hold, holdOf, isReleased, type Waiter, waiterAt } from '../lock-record';
import { changedAnswer } from './changed-answer';

/**
 * Ends the hold that the operator saw and grants the lock to the waiter that the operator chose, or
 * changes nothing. The other waiters keep their places; the revoked token is invalid immediately.
 *
 * A waiter whose caller is at another process gets an offer instead, which it claims within a
 * second; if it does not, the lock goes to the first in the queue as usual.
 *
 * @throws LockyardError `BACKEND_DOWN` while the backend grants nothing
 */
export function decideReassign(draft: Draft, command: ReassignCommand): ReassignAnswer {
  const replay = draft.replay<ReassignAnswer>(command.request);
  if (replay) return replay;
  draft.refuseWhileClosed();
  expireAndPromote(draft);
  const { token, ticket, by, reason, request } = command;
  const hold = holdOf(draft.record, token);
  if (!hold) return changedAnswer(draft, token);
  const waiter = waiterAt(draft.record, ticket);
  if (!waiter) return notReassigned(draft, 'waiterGone');
  const obstacle = obstacleTo(draft, hold, waiter);
  if (obstacle) return notReassigned(draft, obstacle);
  const { lastToken } = draft.record;
  endHold(draft, hold, 'forced', { why: { by, reason } });
  serveOutOfTurn(draft, waiter, { by, reason });
  // The new hold, before the hand-off adds those that fit beside it.
  const granted = draft.record.holds.find((other) => other.token > lastToken);
  handOff(draft);
  const next = granted ? grantedTo(granted) : offeredTo(waiter);
  const queueLength = draft.record.queue.length;
  const answer = { outcome: 'reassigned', rev: draft.rev, token, next, queueLength } as const;
  draft.remember(request, answer, draft.now);
  return answer;
}

function notReassigned(draft: Draft, obstacle: ReassignObstacle): ReassignAnswer {
  const { record, currentRev: rev } = draft;
  return { outcome: 'notReassigned', rev, obstacle, queueLength: record.queue.length };
}

/** Why this waiter cannot be granted the lock once this hold has ended; null: it can. */
function obstacleTo(draft: Draft, hold: Hold, waiter: Waiter): ReassignObstacle | null {
  const { record, context } = draft;
  if (waiter.setSize !== undefined) return 'multiLock';
  if (record.frozen) return 'frozen';
  const startsDelay = context.policy.lockDelayMs > 0 && !isReleased(hold);
  if (startsDelay || !isOpen(draft)) return 'delayed';
  const holds = record.holds.filter((other) => other !== hold);
  const offers = record.offers.filter((offer) => offer.ticket !== waiter.ticket);
  return hasRoom({ ...record, holds, offers }, waiter) ? null : 'noRoom';
}
