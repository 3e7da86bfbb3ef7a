'use client';

import { type ReactNode, useRef, useState } from 'react';
import { failureTitleWithoutRetry } from '../live/problem';
import { useProblem } from '../live/use-problem';
import { Button } from '../ui/controls/button';
import { Dialog } from '../ui/controls/dialog';
import { ProblemNote } from '../ui/problem-note';

/** Asks once before something that cannot be undone; the focus starts on Cancel. */
export function ConfirmDialog({
  title,
  act,
  children,
  onAct,
  onClose,
}: {
  title: string;
  act: string;
  children: ReactNode;
  onAct: () => Promise<unknown>;
  onClose: () => void;
}) {
  const cancel = useRef<HTMLButtonElement>(null);
  const [isBusy, setBusy] = useState(false);
  const { problem, fail, clear } = useProblem();
  const go = async () => {
    setBusy(true);
    clear();
    try {
      await onAct();
      onClose();
    } catch (error) {
      fail(error);
      setBusy(false);
    }
  };
  return (
    <Dialog open onClose={onClose} title={title} initialFocus={cancel}>
      <p className="mt-2 text-t2">{children}</p>
      {problem && (
        <div className="mt-4">
          <ProblemNote problem={problem} title={failureTitleWithoutRetry(problem)} />
        </div>
      )}
      <div className="mt-6 flex flex-wrap justify-end gap-3">
        <Button ref={cancel} size="large" onClick={onClose}>
          Cancel
        </Button>
        <Button size="large" tone="danger" disabled={isBusy} onClick={() => void go()}>
          {isBusy ? 'Working…' : act}
        </Button>
      </div>
    </Dialog>
  );
}
