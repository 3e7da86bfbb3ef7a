import type { RefObject } from 'react';
import { Button } from '../../ui/controls/button';
import type { ActionAttempt } from '../use-action-attempt';

/** The button that leaves an operator's dialog without an action, or stops one under way. */
export function LeaveButton({
  ref,
  attempt: { isBusy, silentSince },
  canStop,
  isAlone,
  onLeave,
}: {
  ref: RefObject<HTMLButtonElement | null>;
  attempt: ActionAttempt;
  /** Leaving stops an action that is under way. */
  canStop: boolean;
  /** There is no other button. */
  isAlone: boolean;
  /** Undefined: the dialog cannot be left now. */
  onLeave: (() => void) | undefined;
}) {
  const label = () => {
    if (isBusy && silentSince !== null) return 'Close';
    if (isBusy && canStop) return 'Stop';
    return isAlone ? 'Close' : 'Cancel';
  };
  return (
    <Button ref={ref} size="large" disabled={!onLeave} onClick={onLeave}>
      {label()}
    </Button>
  );
}
