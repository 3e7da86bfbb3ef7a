import { useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import type { Changed } from '@/server/contract/console/operator-answers';
import { isOutcomeUnknown, type Problem } from '../live/problem';
import { type Send, useSubmit } from '../ui/controls/use-submit';
import type { NamedAct } from '../ui/unanswered/unanswered-acts';
import { type ActionOutcome, publishResult } from './action-results';
import type { HoldSnapshot } from './hold-snapshot';
import type { SeenHold } from './use-seen-hold';

export interface ActionAttempt {
  /** The operator's reason, as typed. */
  reason: string;
  setReason: (reason: string) => void;
  isBusy: boolean;
  /** Since when there is no answer, by this page's monotonic clock; null for the first seconds. */
  silentSince: number | null;
  /** It is under way without an answer, and may be sent again: it is applied once at most. */
  mayRepeat: boolean;
  problem: Problem | null;
  /** The action is under way, or it failed and may have been done all the same. */
  isUnclear: boolean;
  /** The last attempt was refused because the hold had changed, which the dialog shows. */
  isRefused: boolean;
  /** @param act what it is called if its dialog is closed before its answer comes */
  run: (act: NamedAct) => void;
  /** Clears the problem: it was about the hold that was seen, not about the present one. */
  forget: () => void;
}

/** An action that needs a reason and may fail; one attempt at a time. */
export function useActionAttempt(
  work: (reason: string, send: Send) => Promise<void>,
): ActionAttempt {
  const [reason, setReason] = useState('');
  const [isRefused, setRefused] = useState(false);
  const { isBusy, problem, silentSince, mayRepeat, submit, clear } = useSubmit();
  return {
    reason,
    setReason,
    isBusy,
    silentSince,
    mayRepeat,
    problem,
    isUnclear: isBusy || isOutcomeUnknown(problem),
    isRefused,
    run: (act) => {
      setRefused(false);
      // If the action was done, the dialog is closed by then.
      void submit((send) => work(reason, send).then(() => setRefused(true)), act);
    },
    forget: () => {
      clear();
      setRefused(false);
    },
  };
}

/**
 * An attempt at an action on the hold that the operator saw. If the hold has changed, it is
 * refused and shown as changed; else the outcome is shown beside the lock for a while.
 *
 * @param work sends the action; `input` has what every such action needs. Resolves to null if it
 *   was refused and the dialog says why
 */
export function useHoldAttempt(
  row: LockRow,
  { seen, refuse }: SeenHold,
  onClose: () => void,
  work: (
    input: HoldActionInput,
    hold: NonNullable<HoldSnapshot['hold']>,
  ) => Promise<Changed | ActionOutcome | null>,
): ActionAttempt {
  const requestId = useRequestId(seen.hold?.token);
  return useActionAttempt(async (reason, send) => {
    const { hold, rev } = seen;
    if (!hold) return;
    const { namespace, name } = row;
    const input = { namespace, name, token: hold.token, rev, reason, requestId };
    const result = await send(publishing(row.id, work(input, hold)));
    if (!result) return;
    if ('outcome' in result) return refuse(result);
    onClose();
  });
}

/** Shows the result beside its lock, however late it comes. */
async function publishing(
  lockId: string,
  work: Promise<Changed | ActionOutcome | null>,
): Promise<Changed | ActionOutcome | null> {
  const result = await work;
  if (result && !('outcome' in result)) publishResult(lockId, result);
  return result;
}

interface HoldActionInput {
  namespace: string;
  name: string;
  token: number;
  rev: number;
  reason: string;
  requestId: string;
}

const ID_BYTES = 12;

/**
 * The request id of a dialog's action. It is the same however often the button is pressed, so that
 * an action whose answer was lost is not done twice.
 *
 * @param seen what the action is based on, such as the token of a hold: another one has another id
 */
export function useRequestId(seen: string | number = ''): string {
  const [dialog] = useState(randomId);
  return `${dialog}-${seen}`;
}

/** Not `randomUUID`, which browsers have only on secure addresses. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
