import type { ReactNode } from 'react';
import { ReasonField } from '../reason-field';
import type { ActionAttempt } from '../use-action-attempt';

/**
 * The fields of an action, the reason last. They are read-only while it is unknown whether the
 * action was done: only an identical one can be sent again without being done twice.
 */
export function AttemptFields({
  attempt: { reason, setReason, isUnclear },
  hint,
  children,
}: {
  attempt: Pick<ActionAttempt, 'reason' | 'setReason' | 'isUnclear'>;
  /** Where the reason is recorded. */
  hint: string;
  children?: ReactNode;
}) {
  return (
    <fieldset disabled={isUnclear} className="mt-5 flex min-w-0 flex-col gap-4">
      {children}
      <ReasonField value={reason} onChange={setReason} hint={hint} />
    </fieldset>
  );
}
