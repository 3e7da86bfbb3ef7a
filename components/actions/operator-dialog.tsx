'use client';

import { type ReactNode, useId, useRef } from 'react';
import { counterPath, lockPath } from '@/server/core/paths/console-path';
import { retryableFailureTitle } from '../live/problem';
import { Button } from '../ui/controls/button';
import { Dialog, DialogFoot } from '../ui/controls/dialog';
import { FootNotes } from '../ui/controls/foot/foot-notes';
import { ProblemNote } from '../ui/problem-note';
import { REPEATABLE, SilenceNote, STOPPABLE } from '../ui/unanswered/silence-note';
import { UnansweredNote } from '../ui/unanswered/unanswered-note';
import { AttemptFields } from './fields/attempt-fields';
import { ActButton } from './foot/act-button';
import { LeaveButton } from './foot/leave-button';
import { isValidReason } from './reason-field';
import type { ActionAttempt } from './use-action-attempt';

interface OperatorDialogProps {
  /** Whose history records the reason, besides the audit log; null: none. */
  kind: 'lock' | 'counter' | null;
  /** What the action is on; null: several. */
  of: Key | null;
  /** The action takes nothing away from anyone: focus starts in the first field. */
  isHarmless?: boolean;
  wide?: boolean;
  title: string;
  about?: ReactNode;
  /** What has changed since the operator looked; while it is shown, the action is blocked. */
  notice?: ReactNode;
  /** What the action is based on. */
  basis?: ReactNode;
  /** Replaces the fields and the action by the use of the current state; null: there is none. */
  instead?: { onUse: (() => void) | null };
  /** What must still be filled in before the action is possible, besides the reason. */
  missing?: string[];
  actionLabel: string;
  tone?: 'accent' | 'danger';
  attempt: ActionAttempt;
  /** The fields above the reason. */
  children?: ReactNode;
  /** Stops an action under way before its next part; absent: it cannot be stopped. */
  onStop?: () => void;
  onClose: () => void;
}

interface Key {
  namespace: string;
  name: string;
}

/**
 * The dialog of an action that needs a reason. Focus starts on Cancel; only pressing the button
 * itself acts, no shortcut does. It stays open while the action is under way.
 */
export function OperatorDialog({
  kind,
  of,
  isHarmless = false,
  wide = false,
  title,
  about,
  notice,
  basis,
  instead,
  missing = [],
  actionLabel,
  tone = 'accent',
  attempt,
  children,
  onStop,
  onClose,
}: OperatorDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const missingId = useId();
  const { isBusy, silentSince, problem, isUnclear } = attempt;
  const isBlocked = Boolean(notice || instead);
  const reason = isValidReason(attempt.reason) ? [] : ['reason'];
  const required = isBlocked ? [] : [...missing, ...reason];
  const leave = isBusy && silentSince === null ? onStop : onClose;
  const act = {
    what: actionLabel,
    ...(of && { subject: { name: of.name, href: pathOf(kind, of) } }),
    Note: UnansweredNote,
  };
  return (
    <Dialog
      open
      onClose={() => leave?.()}
      title={title}
      wide={wide}
      {...(!isHarmless && { initialFocus: cancel })}
    >
      {about}
      {notice && (
        <div role="alert" className="mt-4 rounded-10 bg-danger-tint px-3.5 py-2.5">
          {notice}
        </div>
      )}
      {!instead && (
        <AttemptFields
          attempt={attempt}
          hint={`recorded in the ${kind ? `${kind} history and ` : ''}audit log`}
        >
          {children}
        </AttemptFields>
      )}
      {problem && !(isBlocked && isUnclear) && (
        <div className="mt-4">
          <ProblemNote problem={problem} title={retryableFailureTitle(problem)} />
        </div>
      )}
      <SilenceNote since={silentSince} advice={onStop ? STOPPABLE : REPEATABLE} />
      <DialogFoot>
        <FootNotes basis={basis} missing={required} missingId={missingId} />
        <div className="flex min-w-0 justify-end gap-3 max-sm:w-full">
          <LeaveButton
            ref={cancel}
            attempt={attempt}
            canStop={onStop !== undefined}
            isAlone={instead?.onUse === null}
            onLeave={leave}
          />
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
              isPossible={!isBlocked && required.length === 0}
              missingId={required.length > 0 ? missingId : undefined}
              onAct={() => attempt.run(act)}
            />
          )}
        </div>
      </DialogFoot>
    </Dialog>
  );
}

function pathOf(kind: 'lock' | 'counter' | null, { namespace, name }: Key): string {
  return (kind === 'lock' ? lockPath : counterPath)(namespace, name);
}
