'use client';

import { type ReactNode, useId, useRef } from 'react';
import type { CounterRow } from '@/server/contract/console/counter-row';
import type { ActionAttempt } from '../actions/use-action-attempt';
import { exactCount } from '../format/numbers';
import { retryableFailureTitle } from '../live/problem';
import { Button } from '../ui/controls/button';
import { Dialog } from '../ui/controls/dialog';
import { ProblemNote } from '../ui/problem-note';
import { Rev } from '../ui/rev';
import { ExactName } from '../ui/visible-text';
import { boundLabel } from './counter-labels';

/**
 * The dialog of an action on a counter. Focus starts on Cancel; only pressing the button itself
 * acts, no shortcut does.
 *
 * @param missing what must still be filled in before the action is possible
 * @param notice what has changed since the operator looked; while it is shown, the action is
 *   blocked
 */
export function CounterDialog({
  title,
  about,
  notice,
  missing,
  word,
  act,
  children,
  onClose,
}: {
  title: string;
  about?: ReactNode;
  notice?: ReactNode;
  missing: string[];
  word: string;
  act: ActionAttempt;
  children: ReactNode;
  onClose: () => void;
}) {
  const cancel = useRef<HTMLButtonElement>(null);
  const id = useId();
  const isReady = !notice && missing.length === 0;
  return (
    <Dialog open onClose={onClose} title={title} initialFocus={cancel}>
      {about}
      {notice && (
        <div role="alert" className="mt-4 rounded-10 bg-danger-tint px-3.5 py-2.5">
          {notice}
        </div>
      )}
      <div className="mt-5 flex flex-col gap-4">{children}</div>
      {act.problem && !(notice && act.isUnclear) && (
        <div className="mt-4">
          <ProblemNote problem={act.problem} title={retryableFailureTitle(act.problem)} />
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
          tone="accent"
          disabled={!isReady || act.isBusy}
          aria-describedby={missing.length > 0 ? id : undefined}
          onClick={act.run}
        >
          {act.isBusy ? 'Working…' : word}
        </Button>
      </div>
    </Dialog>
  );
}

/**
 * Says that the counter has changed since the operator looked, and offers to continue with its
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

/** What an act on a counter is about, as the operator saw it. */
export function CounterSummary({ row }: { row: CounterRow }) {
  const { name, namespace, value, floor, ceiling, rev } = row;
  return (
    <dl className="facts">
      <div>
        <dt>Counter</dt>
        <dd>
          <ExactName name={name} /> <span className="text-12 text-t3">{namespace}</span>
        </dd>
      </div>
      <div>
        <dt>Value</dt>
        <dd>
          <b className="font-[550]">{value === null ? 'unknown' : exactCount(value)}</b>{' '}
          <span className="text-12 text-t3">
            at <Rev rev={rev} />
          </span>
        </dd>
      </div>
      <div>
        <dt>Limits</dt>
        <dd>
          floor {boundLabel(floor)}, ceiling {boundLabel(ceiling)}
        </dd>
      </div>
    </dl>
  );
}
