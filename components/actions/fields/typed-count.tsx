'use client';

import { exactCount } from '@/server/core/format/numbers';
import { Field } from '../../ui/controls/field';

/** The field for the number of things that an act changes: typing it confirms the act. */
export function TypedCountField({
  label,
  count,
  note,
  typed,
  onChange,
}: {
  label: string;
  /** What must be typed; 0: there is nothing to confirm yet. */
  count: number;
  /** What the number means for the act. */
  note?: string;
  typed: string;
  onChange: (typed: string) => void;
}) {
  const hint = [`type ${exactCount(count)}`, ...(note ? [note] : [])].join('; ');
  return (
    <Field
      label={label}
      hint={count > 0 && hint}
      inputMode="numeric"
      autoComplete="off"
      value={typed}
      disabled={count === 0}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** Whether the number was typed, with its digits in groups or not; 0 never was. */
export function isCountTyped(typed: string, count: number): boolean {
  return count > 0 && typed.replaceAll(/[\s,.’']/g, '') === String(count);
}
