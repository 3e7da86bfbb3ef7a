'use client';

import {
  isVisible,
  REASON_MAX_CHARS,
  REASON_MIN_CHARS,
} from '@/server/contract/console/console-terms';
import { Field } from '../ui/controls/field';

/** Whether the server accepts it as a reason. */
export function isValidReason(text: string): boolean {
  const { length } = text.trim();
  return length >= REASON_MIN_CHARS && length <= REASON_MAX_CHARS && isVisible(text);
}

/** The operator's reason for an action. */
export function ReasonField({
  value,
  onChange,
  hint,
}: {
  value: string;
  onChange: (value: string) => void;
  hint: string;
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
