'use client';

import { type ReactNode, useId, useRef } from 'react';
import { counterPath, lockPath } from '@/server/core/paths/console-path';
import { Icon } from '../icons/icon';
import { retryableFailureTitle } from '../live/problem';
import { Button } from '../ui/controls/button';
import { Dialog, DialogFoot } from '../ui/controls/dialog';
import { ProblemNote } from '../ui/problem-note';
import { REPEATABLE, SilenceNote, STOPPABLE } from '../ui/unanswered/silence-note';
import { UnansweredNote } from '../ui/unanswered/unanswered-note';
import { UnbrokenNames } from '../ui/visible-text';
import { AttemptFields } from './fields/attempt-fields';
import { isValidReason } from './reason-field';
import type { ActionAttempt } from './use-action-attempt';

interface Key {
  namespace: string;
  name: string;
}

/**
 * The dialog of an action that needs a reason. Focus starts on Cancel; only pressing the button
 * itself acts, no shortcut does. It stays open while the action is under way.
 *
 * @param isHarmless the action takes nothing away from anyone: focus starts in the first field
 * @param of what the action is on; null: several
 * @param missing what must still be filled in before the action is possible, besides the reason
 * @param notice what has changed since the operator looked; while it is shown, the action is
 *   blocked
 * @param basis what the action is based on
 * @param instead shown in place of the fields and the action, since what they were for has changed:
 *   a button that uses the current state; `onUse` is null if there is none
 * @param onStop stops an action under way before its next part; absent: it cannot be stopped
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
  missing: fields = [],
  actionLabel,
  tone = 'accent',
  attempt,
  children,
  onStop,
  onClose,
}: {
  /** Whose history records the reason, besides the audit log; null: none. */
  kind: 'lock' | 'counter' | null;
  of: Key | null;
  isHarmless?: boolean;
  wide?: boolean;
  title: string;
  about?: ReactNode;
  notice?: ReactNode;
  basis?: ReactNode;
  instead?: { onUse: (() => void) | null };
  missing?: string[];
  actionLabel: string;
  tone?: 'accent' | 'danger';
  attempt: ActionAttempt;
  children?: ReactNode;
  onStop?: () => void;
  onClose: () => void;
}) {
  const cancel = useRef<HTMLButtonElement>(null);
  const id = useId();
  const missing = [...fields, ...(isValidReason(attempt.reason) ? [] : ['reason'])];
  const isBlocked = Boolean(notice || instead);
  const isSilent = attempt.isBusy && attempt.silentSince !== null;
  const leave = attempt.isBusy && !isSilent ? onStop : onClose;
  const act = {
    what: actionLabel,
    ...(of && { subject: { name: of.name, href: pathOf(kind, of) } }),
    Note: UnansweredNote,
  };
  const isIncomplete = !isBlocked && missing.length > 0;
  const leaveLabel = () => {
    if (isSilent) return 'Close';
    if (attempt.isBusy && onStop) return 'Stop';
    return instead?.onUse === null ? 'Close' : 'Cancel';
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
      {attempt.problem && !(isBlocked && attempt.isUnclear) && (
        <div className="mt-4">
          <ProblemNote problem={attempt.problem} title={retryableFailureTitle(attempt.problem)} />
        </div>
      )}
      <SilenceNote since={attempt.silentSince} advice={onStop ? STOPPABLE : REPEATABLE} />
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
          <Button ref={cancel} size="large" disabled={!leave} onClick={leave}>
            {leaveLabel()}
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
              onAct={() => attempt.run(act)}
            />
          )}
        </div>
      </DialogFoot>
    </Dialog>
  );
}

/** @param missingId the element that says what must still be filled in */
function ActButton({
  label,
  tone,
  attempt: { isBusy, mayRepeat },
  isPossible,
  missingId,
  onAct,
}: {
  label: string;
  tone: 'accent' | 'danger';
  attempt: ActionAttempt;
  isPossible: boolean;
  missingId: string | undefined;
  onAct: () => void;
}) {
  return (
    <Button
      size="large"
      tone={tone}
      disabled={!isPossible || (isBusy && !mayRepeat)}
      aria-describedby={missingId}
      onClick={onAct}
      className="min-w-0"
    >
      <span className="min-w-0 [overflow-wrap:anywhere] sm:truncate">
        {!isBusy ? <UnbrokenNames text={label} /> : mayRepeat ? 'Try again' : 'Working…'}
      </span>
    </Button>
  );
}

function pathOf(kind: 'lock' | 'counter' | null, { namespace, name }: Key): string {
  return (kind === 'lock' ? lockPath : counterPath)(namespace, name);
}
