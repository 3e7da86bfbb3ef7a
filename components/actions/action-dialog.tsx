'use client';

import { type ReactNode, useId, useRef } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { agoText } from '../format/durations';
import { shortToken } from '../format/numbers';
import { Icon } from '../icons/icon';
import { retryableFailureTitle } from '../live/problem';
import { ReadingProvider, useAtBackend } from '../live/reading';
import { Button } from '../ui/controls/button';
import { Dialog } from '../ui/controls/dialog';
import { ProblemNote } from '../ui/problem-note';
import { Rev } from '../ui/rev';
import { StatusBadge } from '../ui/status-badge';
import { VisibleText, WholeName } from '../ui/visible-text';
import { HoldFacts } from './hold-facts';
import type { HoldEnd } from './hold-snapshot';
import { isValidReason, ReasonField } from './reason-field';
import type { ActionAttempt } from './use-action-attempt';
import type { SeenHold } from './use-seen-hold';

interface ActionDialogProps {
  row: LockRow;
  hold: SeenHold;
  title: string;
  /** The fixed sentence about what the act does not do. */
  warning: ReactNode;
  /** The fields besides the reason; hidden while the hold has changed. */
  children?: ReactNode;
  /** What must still be filled in, besides the reason. */
  missing?: string[];
  /** On the button. */
  actionLabel: string;
  tone: 'danger' | 'accent';
  attempt: ActionAttempt;
  onClose: () => void;
}

/**
 * The dialog of an action on another party's hold: the current hold, what the action does not do,
 * the fields, and the button. Focus starts on Cancel; only pressing the button itself acts, no
 * shortcut does. If the hold has changed meanwhile, both are shown side by side, and the action is
 * blocked until the operator accepts the current one.
 */
export function ActionDialog(props: ActionDialogProps) {
  const { row, hold, title, children, warning, onClose, attempt } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  const acceptCurrent = () => {
    attempt.forget();
    hold.acceptCurrent();
  };
  return (
    <Dialog open onClose={onClose} title={title} initialFocus={cancel} wide={hold.isChanged}>
      <ReadingProvider reading={hold.reading}>
        <LockLine row={row} />
        {hold.isChanged && (
          <ChangedNote end={hold.end} backend={row.backend} isUnclear={attempt.isUnclear} />
        )}
        <HoldFacts seen={hold.seen} now={hold.isChanged ? hold.now : null} backend={row.backend} />
        {!hold.isChanged && (
          <>
            <p className="mb-4 flex gap-3 rounded-10 bg-contended-tint px-3.5 py-2.5">
              <Icon name="alert-triangle" size={16} className="mt-0.5 text-contended" />
              <span>{warning}</span>
            </p>
            <div className="flex flex-col gap-4">
              {children}
              <ReasonField
                value={attempt.reason}
                onChange={attempt.setReason}
                hint="Recorded in the lock history and audit log"
              />
            </div>
          </>
        )}
        {attempt.problem && !(hold.isChanged && attempt.isUnclear) && (
          <div className="mt-4">
            <ProblemNote problem={attempt.problem} title={retryableFailureTitle(attempt.problem)} />
          </div>
        )}
        <Footer {...props} cancel={cancel} onUseNow={acceptCurrent} />
      </ReadingProvider>
    </Dialog>
  );
}

/** Which lock a dialog is about. */
export function LockLine({ row }: { row: LockRow }) {
  return (
    <p className="mt-1.5 flex min-w-0 flex-wrap items-center gap-x-2.5">
      <StatusBadge status={row.status} />
      <WholeName name={row.name} />
      <span className="text-12 text-t3">
        {row.namespace} · {row.backend}
      </span>
    </p>
  );
}

const CAUSE_LABELS: Record<HoldEnd['cause'], string> = {
  released: 'released by its holder',
  expired: 'lease expired',
  forced: 'force-released',
  superseded: 'held by others since',
};

/** @param isUnclear it may have been this very act that ended the hold; how it ended says so */
function ChangedNote({
  end,
  backend,
  isUnclear,
}: {
  end: HoldEnd | null;
  backend: string;
  isUnclear: boolean;
}) {
  const agoMs = useAtBackend(backend, (now) =>
    end ? Math.max(0, Math.floor((now - end.at) / 1_000) * 1_000) : 0,
  );
  return (
    <div role="alert" className="mt-4 rounded-10 bg-danger-tint px-3.5 py-2.5">
      <p className="font-[620]">Holder has changed{!isUnclear && ' – no action taken'}.</p>
      {end && (
        <p className="text-t2">
          The hold you were viewing ended{end.cause !== 'superseded' && ` ${agoText(agoMs)}`} (
          {CAUSE_LABELS[end.cause]}
          {end.by && (
            <>
              {' by '}
              <VisibleText text={end.by} />
            </>
          )}
          {end.reason && (
            <>
              : “<VisibleText text={end.reason} />”
            </>
          )}
          ).
        </p>
      )}
    </div>
  );
}

function Footer({
  hold,
  missing: fields = [],
  actionLabel,
  tone,
  attempt,
  onClose,
  cancel,
  onUseNow,
}: ActionDialogProps & {
  cancel: React.RefObject<HTMLButtonElement | null>;
  onUseNow: () => void;
}) {
  const id = useId();
  const { seen } = hold;
  const missing = [...fields, ...(isValidReason(attempt.reason) ? [] : ['reason'])];
  const isReady = !hold.isChanged && missing.length === 0;
  return (
    <div className="mt-5 flex flex-wrap items-center justify-end gap-x-3 gap-y-3">
      <div className="min-w-0 flex-1 basis-64 text-12 max-sm:basis-full">
        <p className="flex items-center gap-2 text-t3">
          <Icon name="eye" size={15} />
          <span>
            Based on <Rev rev={seen.rev} />
            {seen.hold && (
              <span title={String(seen.hold.token)}>, token {shortToken(seen.hold.token)}</span>
            )}
          </span>
        </p>
        {!hold.isChanged && missing.length > 0 && (
          <p id={id} className="pl-[23px] text-t2">
            Required: {missing.join(', ')}
          </p>
        )}
      </div>
      <div className="flex min-w-0 justify-end gap-3 max-sm:w-full">
        <Button ref={cancel} size="large" onClick={onClose}>
          {hold.isChanged && !hold.now.hold ? 'Close' : 'Cancel'}
        </Button>
        {hold.isChanged ? (
          hold.now.hold && (
            <Button size="large" tone="accent" onClick={onUseNow}>
              Use current state
            </Button>
          )
        ) : (
          <Button
            size="large"
            tone={tone}
            disabled={!isReady || attempt.isBusy}
            aria-describedby={missing.length > 0 ? id : undefined}
            onClick={attempt.run}
            className="min-w-0 max-sm:h-auto max-sm:min-h-11 max-sm:flex-1 max-sm:py-2 max-sm:leading-5 max-sm:whitespace-normal"
          >
            <span className="min-w-0 [overflow-wrap:anywhere] sm:truncate">
              {attempt.isBusy ? 'Working…' : actionLabel}
            </span>
          </Button>
        )}
      </div>
    </div>
  );
}
