'use client';

import { type FormEvent, type ReactNode, useState } from 'react';
import { failureTitleWithoutRetry } from '../../live/problem';
import { useProblem } from '../../live/use-problem';
import { ProblemNote } from '../problem-note';
import { Button } from './button';
import { Dialog } from './dialog';

/** A few fields and one act. It stays open while the act has not worked. */
export function FormDialog({
  title,
  intro,
  act,
  children,
  onAct,
  onClose,
}: {
  title: string;
  intro?: ReactNode;
  act: string;
  children: ReactNode;
  /** Closing is its own business. */
  onAct: (form: FormData) => Promise<void>;
  onClose: () => void;
}) {
  const [isBusy, setBusy] = useState(false);
  const { problem, fail, clear } = useProblem();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    clear();
    try {
      await onAct(form);
    } catch (error) {
      fail(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open onClose={onClose} title={title}>
      {intro && <p className="mt-1 text-t2">{intro}</p>}
      <form onSubmit={(event) => void submit(event)} className="mt-5 flex flex-col gap-4">
        {children}
        {problem && <ProblemNote problem={problem} title={failureTitleWithoutRetry(problem)} />}
        <div className="mt-2 flex flex-wrap justify-end gap-3">
          <Button size="large" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" size="large" tone="accent" disabled={isBusy}>
            {isBusy ? 'Working…' : act}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
