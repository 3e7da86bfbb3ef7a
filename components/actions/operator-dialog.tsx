'use client';

import { type ReactNode, useRef } from 'react';
import { counterPath, lockPath } from '@/server/core/paths/console-path';
import { retryableFailureTitle } from '../live/problem';
import { Dialog } from '../ui/controls/dialog';
import { ProblemNote } from '../ui/problem-note';
import { REPEATABLE, SilenceNote, STOPPABLE } from '../ui/unanswered/silence-note';
import { UnansweredNote } from '../ui/unanswered/unanswered-note';
import { AttemptFields } from './fields/attempt-fields';
import { type Instead, OperatorFoot } from './foot/operator-foot';
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
  /** Replaces the fields and the action. */
  instead?: Instead;
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
  const { isBusy, silentSince, problem, isUnclear } = attempt;
  const isBlocked = Boolean(notice || instead);
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
      <OperatorFoot
        cancel={cancel}
        basis={basis}
        missing={[...missing, ...(isValidReason(attempt.reason) ? [] : ['reason'])]}
        isBlocked={isBlocked}
        instead={instead}
        attempt={attempt}
        actionLabel={actionLabel}
        tone={tone}
        canStop={onStop !== undefined}
        onLeave={leave}
        onAct={() => attempt.run(act)}
      />
    </Dialog>
  );
}

function pathOf(kind: 'lock' | 'counter' | null, { namespace, name }: Key): string {
  return (kind === 'lock' ? lockPath : counterPath)(namespace, name);
}
