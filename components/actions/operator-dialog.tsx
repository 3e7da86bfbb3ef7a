'use client';

import { type ReactNode, useId, useRef } from 'react';
import { retryableFailureTitle } from '../live/problem';
import { Button } from '../ui/controls/button';
import { Dialog } from '../ui/controls/dialog';
import { ProblemNote } from '../ui/problem-note';
import { isValidReason, ReasonField } from './reason-field';
import type { ActionAttempt } from './use-action-attempt';

/**
 * The dialog of an action that needs a reason. Focus starts on Cancel; only pressing the button
 * itself acts, no shortcut does.
 *
 * @param missing what must still be filled in before the action is possible, besides the reason
 * @param notice what has changed since the operator looked; while it is shown, the action is
 *   blocked
 */
export function OperatorDialog({
  kind,
  title,
  about,
  notice,
  missing: fields = [],
  actionLabel,
  tone = 'accent',
  attempt,
  children,
  onClose,
}: {
  /** In whose history the reason is recorded. */
  kind: 'lock' | 'counter';
  title: string;
  about?: ReactNode;
  notice?: ReactNode;
  missing?: string[];
  actionLabel: string;
  tone?: 'accent' | 'danger';
  attempt: ActionAttempt;
  children?: ReactNode;
  onClose: () => void;
}) {
  const cancel = useRef<HTMLButtonElement>(null);
  const id = useId();
  const missing = [...fields, ...(isValidReason(attempt.reason) ? [] : ['reason'])];
  const isReady = !notice && missing.length === 0;
  return (
    <Dialog open onClose={onClose} title={title} initialFocus={cancel}>
      {about}
      {notice && (
        <div role="alert" className="mt-4 rounded-10 bg-danger-tint px-3.5 py-2.5">
          {notice}
        </div>
      )}
      <div className="mt-5 flex flex-col gap-4">
        {children}
        <ReasonField
          value={attempt.reason}
          onChange={attempt.setReason}
          hint={`Recorded in the ${kind} history and audit log`}
        />
      </div>
      {attempt.problem && !(notice && attempt.isUnclear) && (
        <div className="mt-4">
          <ProblemNote problem={attempt.problem} title={retryableFailureTitle(attempt.problem)} />
        </div>
      )}
      <div className="mt-6 flex flex-wrap items-center justify-end gap-3">
        {!notice && missing.length > 0 && (
          <p id={id} className="min-w-0 text-12 text-t2 max-sm:w-full sm:mr-auto">
            Required: {missing.join(', ')}
          </p>
        )}
        <Button ref={cancel} size="large" onClick={onClose}>
          Cancel
        </Button>
        <Button
          size="large"
          tone={tone}
          disabled={!isReady || attempt.isBusy}
          aria-describedby={missing.length > 0 ? id : undefined}
          onClick={attempt.run}
        >
          {attempt.isBusy ? 'Working…' : actionLabel}
        </Button>
      </div>
    </Dialog>
  );
}

/**
 * Says what has changed since the operator looked, and offers to continue with the
 * current state.
 */
export function ChangedNote({ children, onUse }: { children: ReactNode; onUse: () => void }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="min-w-0">{children}</p>
      <Button onClick={onUse}>Use current state</Button>
    </div>
  );
}
