'use client';

import { type ReactNode, type RefObject, useId } from 'react';
import { Icon } from '../../icons/icon';
import { Button } from '../../ui/controls/button';
import { DialogFoot } from '../../ui/controls/dialog';
import type { ActionAttempt } from '../use-action-attempt';
import { ActButton } from './act-button';

/** Shown in place of the action, since what it was for has changed. */
export interface Instead {
  /** Uses the current state; null: there is none. */
  onUse: (() => void) | null;
}

/** The foot of an operator's dialog: what the action is based on, what is missing, the buttons. */
export function OperatorFoot({
  cancel,
  basis,
  missing,
  isBlocked,
  instead,
  attempt,
  actionLabel,
  tone,
  canStop,
  onLeave,
  onAct,
}: {
  /** The button that leaves without an action. */
  cancel: RefObject<HTMLButtonElement | null>;
  basis: ReactNode;
  /** What must still be filled in. */
  missing: string[];
  /** Something has changed, so that the action is not possible whatever is filled in. */
  isBlocked: boolean;
  instead: Instead | undefined;
  attempt: ActionAttempt;
  actionLabel: string;
  tone: 'accent' | 'danger';
  /** Leaving stops an action that is under way. */
  canStop: boolean;
  /** Undefined: the dialog cannot be left now. */
  onLeave: (() => void) | undefined;
  onAct: () => void;
}) {
  const id = useId();
  const isIncomplete = !isBlocked && missing.length > 0;
  return (
    <DialogFoot>
      <div className="min-w-0 flex-1 basis-64 text-12 max-sm:basis-full">
        {basis && (
          <p className="flex items-center gap-2 text-t3">
            <Icon name="eye" size={15} />
            <span>{basis}</span>
          </p>
        )}
        {isIncomplete && (
          <p id={id} className={`text-t2 ${basis ? 'pl-[23px]' : ''}`}>
            Required: {missing.join(', ')}
          </p>
        )}
      </div>
      <div className="flex min-w-0 justify-end gap-3 max-sm:w-full">
        <Button ref={cancel} size="large" disabled={!onLeave} onClick={onLeave}>
          {leaveLabel(attempt, canStop, instead)}
        </Button>
        {instead?.onUse && (
          <Button size="large" tone="accent" onClick={instead.onUse}>
            Use current state
          </Button>
        )}
        {!instead && (
          <ActButton
            label={actionLabel}
            tone={tone}
            attempt={attempt}
            isPossible={!isBlocked && !isIncomplete}
            missingId={isIncomplete ? id : undefined}
            onAct={onAct}
          />
        )}
      </div>
    </DialogFoot>
  );
}

function leaveLabel(
  { isBusy, silentSince }: ActionAttempt,
  canStop: boolean,
  instead: Instead | undefined,
): string {
  if (isBusy && silentSince !== null) return 'Close';
  if (isBusy && canStop) return 'Stop';
  return instead?.onUse === null ? 'Close' : 'Cancel';
}
