'use client';

import { REASON_MAX_CHARS, REASON_MIN_CHARS } from '@/server/contract/console/console-terms';
import { Field } from '../ui/controls/field';

/** Whether the server will take it for a reason. */
export function isValidReason(text: string): boolean {
  const { length } = text.trim();
  return length >= REASON_MIN_CHARS && length <= REASON_MAX_CHARS;
}

export const COUNTER_REASON_HINT = 'Recorded in the counter history and audit log';

/** The operator's reason for an action. */
export function ReasonField({
  value,
  onChange,
  hint = 'Recorded in the lock history and audit log',
}: {
  hint?: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field
      label="Reason"
      hint={hint}
      value={value}
      maxLength={REASON_MAX_CHARS}
      autoComplete="off"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
