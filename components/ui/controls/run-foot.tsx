import type { RefObject } from 'react';
import { SilenceNote, STOPPABLE } from '../unanswered/silence-note';
import { Button } from './button';
import { DialogFoot } from './dialog';

/** The foot of a dialog whose act takes a while and can be stopped. */
export function RunFoot({
  isBusy,
  isOver,
  silentSince,
  isReady,
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
  /** Everything that the action needs is filled in. */
  isReady: boolean;
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
  const isSilent = silentSince !== null;
  return (
    <>
      <SilenceNote since={silentSince} advice={STOPPABLE} />
      <DialogFoot>
        <Button ref={cancel} size="large" onClick={onClose}>
          {isBusy && !isSilent ? 'Stop' : isBusy || isOver ? 'Close' : 'Cancel'}
        </Button>
        {!isOver && (
          <Button size="large" tone="danger" disabled={!isReady || isBusy} onClick={onRun}>
            {isBusy ? busyLabel : action}
          </Button>
        )}
      </DialogFoot>
    </>
  );
}
