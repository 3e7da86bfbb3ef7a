'use client';

import type { ComponentProps, ReactNode } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { agoText, wholeSeconds } from '@/server/core/format/durations';
import { shortToken } from '../format/numbers';
import { ReadingProvider, useAtBackend, useStaleAge } from '../live/reading';
import { LivenessNote } from '../locks/lock/liveness-note';
import { DialogWarning } from '../ui/controls/dialog-warning';
import { Rev } from '../ui/rev';
import { StatusBadge } from '../ui/status-badge';
import { VisibleText, WholeName } from '../ui/visible-text';
import { HoldFacts } from './hold-facts';
import type { HoldEnd } from './hold-snapshot';
import { OperatorDialog } from './operator-dialog';
import type { SeenHold } from './use-seen-hold';

interface ActionDialogProps
  extends Omit<
    ComponentProps<typeof OperatorDialog>,
    'kind' | 'of' | 'about' | 'basis' | 'instead'
  > {
  row: LockRow;
  hold: SeenHold;
  /** The fixed sentence about what the act does not do. */
  warning: ReactNode;
  /** Whether the action applies to a hold that was released but stays held until it expires. */
  actsOnReleased?: boolean;
}

/**
 * The dialog of an action on another party's hold: the current hold, what the action does not do,
 * the fields, and the button. If the hold has changed meanwhile, both are shown side by side, and
 * the action is blocked until the operator accepts the current one.
 */
export function ActionDialog({
  row,
  hold,
  warning,
  actsOnReleased = false,
  ...dialog
}: ActionDialogProps) {
  const { seen, now, isChanged } = hold;
  const { attempt } = dialog;
  const mayAct = now.hold !== null && (actsOnReleased || now.hold.releasedAt === undefined);
  const acceptCurrent = () => {
    attempt.forget();
    hold.acceptCurrent();
  };
  return (
    <ReadingProvider reading={hold.reading}>
      <OperatorDialog
        {...dialog}
        kind="lock"
        of={row}
        wide={isChanged}
        about={
          <>
            <LockLine row={row} />
            {isChanged && <ChangedHold end={hold.end} row={row} isUnclear={attempt.isUnclear} />}
            {!isChanged && seen.hold?.liveness && (
              <div className="mt-3">
                <LivenessNote verdict={seen.hold.liveness} of={row} />
              </div>
            )}
            <HoldFacts
              seen={seen}
              now={isChanged ? now : null}
              keeper={row}
              p99Ms={row.ownHold?.p99Ms ?? null}
            />
            {!isChanged && <DialogWarning>{warning}</DialogWarning>}
          </>
        }
        basis={
          <>
            Based on <Rev rev={seen.rev} />
            {seen.hold && (
              <span title={String(seen.hold.token)}>, token {shortToken(seen.hold.token)}</span>
            )}
            <StaleAge />
          </>
        }
        {...(isChanged && { instead: { onUse: mayAct ? acceptCurrent : null } })}
      />
    </ReadingProvider>
  );
}

/** On a phone the dialog covers all else that says so. */
function StaleAge() {
  const age = useStaleAge();
  return age && <span className="text-t1">, {age}</span>;
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
  superseded: 'how is not recorded',
};

/** @param isUnclear whether this action itself may have ended the hold; `end` shows if it did */
export function ChangedHold({
  end,
  row,
  isUnclear,
}: {
  end: HoldEnd | null;
  row: LockRow;
  isUnclear: boolean;
}) {
  const agoMs = useAtBackend(row, (now) => (end ? Math.max(0, wholeSeconds(now - end.at)) : 0));
  return (
    <div role="alert" className="mt-4 rounded-10 bg-danger-tint px-3.5 py-2.5">
      <p className="font-[620]">Holder has changed{!isUnclear && ' – no action taken'}.</p>
      {end && (
        <p className="text-t2">
          The hold you were viewing{' '}
          {end.cause === 'superseded' ? 'has ended' : `ended ${agoText(agoMs)}`} (
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
