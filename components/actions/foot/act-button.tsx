import { Button } from '../../ui/controls/button';
import { UnbrokenNames } from '../../ui/visible-text';
import type { ActionAttempt } from '../use-action-attempt';

/** The button that performs an operator's action. */
export function ActButton({
  label,
  tone,
  attempt: { isBusy, mayRepeat },
  isPossible,
  missingId,
  onAct,
}: {
  label: string;
  tone: 'accent' | 'danger';
  attempt: ActionAttempt;
  isPossible: boolean;
  /** The id of the element that says what must still be filled in; undefined: nothing must be. */
  missingId: string | undefined;
  onAct: () => void;
}) {
  return (
    <Button
      size="large"
      tone={tone}
      disabled={!isPossible || (isBusy && !mayRepeat)}
      aria-describedby={missingId}
      onClick={onAct}
      className="min-w-0"
    >
      <span className="min-w-0 [overflow-wrap:anywhere] sm:truncate">
        {!isBusy ? <UnbrokenNames text={label} /> : mayRepeat ? 'Try again' : 'Working…'}
      </span>
    </Button>
  );
}
