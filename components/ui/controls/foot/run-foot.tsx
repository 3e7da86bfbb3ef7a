import { type RefObject, useId } from 'react';
import { SilenceNote, STOPPABLE } from '../../unanswered/silence-note';
import { Button } from '../button';
import { DialogFoot } from '../dialog';
import { FootNotes } from './foot-notes';

/** The foot of a dialog whose act takes a while and can be stopped. */
export function RunFoot({
  isBusy,
  isOver,
  silentSince,
  missing,
  action,
  busyLabel,
  cancel,
  onClose,
  onRun,
}: {
  isBusy: boolean;
  isOver: boolean;
  /** Since when there is no answer, by this page's monotonic clock; null for the first seconds. */
  silentSince: number | null;
  /** What must still be filled in before the action is possible. */
  missing: string[];
  /** The label of the button that acts, which cannot be undone. */
  action: string;
  /** The same while it is under way. */
  busyLabel: string;
  /** The button that closes without an action, on which the focus starts. */
  cancel: RefObject<HTMLButtonElement | null>;
  /** Leaves the dialog; while the act is under way and is answered, stops it. */
  onClose: () => void;
  onRun: () => void;
}) {
  const id = useId();
  const isSilent = silentSince !== null;
  const required = isBusy || isOver ? [] : missing;
  return (
    <>
      <SilenceNote since={silentSince} advice={STOPPABLE} />
      <DialogFoot>
        <FootNotes missing={required} missingId={id} />
        <Button ref={cancel} size="large" onClick={onClose}>
          {isBusy && !isSilent ? 'Stop' : isBusy || isOver ? 'Close' : 'Cancel'}
        </Button>
        {!isOver && (
          <Button
            size="large"
            tone="danger"
            disabled={missing.length > 0 || isBusy}
            aria-describedby={required.length > 0 ? id : undefined}
            onClick={onRun}
          >
            {isBusy ? busyLabel : action}
          </Button>
        )}
      </DialogFoot>
    </>
  );
}
