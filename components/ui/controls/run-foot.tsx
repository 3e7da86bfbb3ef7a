import type { RefObject } from 'react';
import { Button } from './button';
import { DialogFoot } from './dialog';

/** The foot of a dialog whose act takes a while and can be stopped. */
export function RunFoot({
  isBusy,
  isOver,
  isReady,
  action,
  busyLabel,
  cancel,
  onClose,
  onRun,
}: {
  isBusy: boolean;
  isOver: boolean;
  /** Everything that the action needs is filled in. */
  isReady: boolean;
  /** The label of the button that acts, which cannot be undone. */
  action: string;
  /** The same while it is under way. */
  busyLabel: string;
  /** The button that closes without an action, on which the focus starts. */
  cancel: RefObject<HTMLButtonElement | null>;
  /** Leaves the dialog; while the act is under way, stops it. */
  onClose: () => void;
  onRun: () => void;
}) {
  return (
    <DialogFoot>
      <Button ref={cancel} size="large" onClick={onClose}>
        {isBusy ? 'Stop' : isOver ? 'Close' : 'Cancel'}
      </Button>
      {!isOver && (
        <Button size="large" tone="danger" disabled={!isReady || isBusy} onClick={onRun}>
          {isBusy ? busyLabel : action}
        </Button>
      )}
    </DialogFoot>
  );
}
