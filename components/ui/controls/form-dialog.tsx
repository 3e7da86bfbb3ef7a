'use client';

import { type ReactNode, useRef } from 'react';
import { failureTitleWithoutRetry } from '../../live/problem';
import { ChangedNote, ProblemNote } from '../problem-note';
import { CLOSABLE, SilenceNote } from '../unanswered/silence-note';
import { UnansweredNote } from '../unanswered/unanswered-note';
import { Button } from './button';
import { Dialog, DialogFoot } from './dialog';
import { type Send, useSubmit } from './use-submit';

interface FormDialogProps {
  title: string;
  intro?: ReactNode;
  /** The label of the button that submits. */
  action: string;
  /** For an action that cannot be undone: its button is red, and the focus starts on Cancel. */
  isDangerous?: boolean;
  /** What has changed since the fields were filled; nothing is sent until the new state is used. */
  changed?: { text: ReactNode; onUse: () => void } | null;
  /** A further button, at the other end of the foot. */
  other?: ReactNode;
  children?: ReactNode;
  /** What to do where the act was applied after the dialog was closed; absent: nothing. */
  afterwards?: string;
  /** Closes the dialog as soon as the act is done: the page is loaded again without it. */
  onSubmit: (form: FormData, send: Send) => Promise<void>;
  onClose: () => void;
}

/**
 * A few fields and one action. It stays open while that is under way, and after a failure, and says
 * what went wrong.
 */
export function FormDialog({
  title,
  intro,
  action,
  isDangerous = false,
  changed = null,
  other,
  children,
  afterwards,
  onSubmit,
  onClose,
}: FormDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const { isBusy, problem, silentSince, submit, clear } = useSubmit();
  const isRefused = problem?.reason === 'CONFLICT';
  const mayClose = !isBusy || silentSince !== null;
  const close = () => {
    if (mayClose) onClose();
  };
  const act = {
    what: title.replace(/\?$/, ''),
    ...(afterwards !== undefined && { afterwards }),
    Note: UnansweredNote,
  };
  return (
    <Dialog open onClose={close} title={title} {...(isDangerous && { initialFocus: cancel })}>
      {intro && <p className="mt-1 text-t2">{intro}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          void submit((send) => onSubmit(form, send), act);
        }}
        className="mt-5 flex flex-col gap-4"
      >
        {children}
        {changed && (
          <div role="alert" className="rounded-10 bg-danger-tint px-3.5 py-2.5">
            <ChangedNote
              onUse={() => {
                clear();
                changed.onUse();
              }}
            >
              {isRefused && <b className="font-[620]">Not applied. </b>}
              {changed.text}
            </ChangedNote>
          </div>
        )}
        {problem && !(changed && isRefused) && (
          <ProblemNote problem={problem} title={failureTitleWithoutRetry(problem)} />
        )}
        <SilenceNote since={silentSince} advice={CLOSABLE} />
        <DialogFoot>
          {other && <div className="mr-auto">{other}</div>}
          <Button ref={cancel} size="large" disabled={!mayClose} onClick={close}>
            {isBusy && mayClose ? 'Close' : 'Cancel'}
          </Button>
          <Button
            type="submit"
            size="large"
            tone={isDangerous ? 'danger' : 'accent'}
            disabled={isBusy || changed !== null}
          >
            {isBusy ? 'Working…' : action}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
