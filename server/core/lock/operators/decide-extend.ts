import type { ExtendAnswer } from '../../../contract/console/operator-answers';
import { LockyardError } from '../../../contract/errors';
import { LEASE_MAX_MS } from '../../../contract/namespace-policy';
import type { Draft } from '../../draft';
import { expireAndPromote } from '../expire-and-promote';
import { updateHold } from '../hold-lifecycle';
import type { ExtendCommand } from '../lock-command';
import { holdOf, isReleased } from '../lock-record';
import { changedAnswer } from './changed-answer';

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
