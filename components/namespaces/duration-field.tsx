'use client';

import { parseDuration } from '@/client/command/terminal/duration';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@/server/core/time-units';
import { Field } from '../ui/controls/field';

const UNITS: [unit: string, ms: number][] = [
  ['h', HOUR_MS],
  ['m', MINUTE_MS],
  ['s', SECOND_MS],
];

/** A field for a duration such as `30s`, `5m` or `24h`, read by `enteredDuration`. */
export function DurationField({
  label,
  name,
  ms,
  min,
  max,
  hint = '',
  isOptional = false,
}: {
  label: string;
  name: string;
  /** What is entered at first; null: nothing. */
  ms: number | null;
  min: number;
  max: number;
  hint?: string;
  /** It may be left empty. */
  isOptional?: boolean;
}) {
  const range = `${durationInput(min)} to ${durationInput(max)}`;
  return (
    <Field
      label={label}
      hint={hint || range}
      name={name}
      required={!isOptional}
      autoComplete="off"
      spellCheck={false}
      defaultValue={ms === null ? '' : durationInput(ms)}
      onChange={({ target }) => {
        const entered = parseDuration(target.value);
        const isEmpty = isOptional && target.value.trim() === '';
        const isIn = entered !== null && entered >= min && entered <= max;
        target.setCustomValidity(
          isIn || isEmpty ? '' : `A duration such as 30s, 5m or 24h: ${range}`,
        );
      }}
    />
  );
}

/** A duration as it is entered, in the largest unit that needs no fraction. */
export function durationInput(ms: number): string {
  if (ms === 0) return '0';
  const [unit, unitMs] = UNITS.find(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / unitMs}${unit}`;
}

/**
 * What was entered in a `DurationField`, in milliseconds; null if it is empty. −1 if it is not a
 * duration, which the server rejects: NaN would become null in JSON.
 */
export function enteredDuration(form: FormData, name: string): number | null {
  const entered = String(form.get(name) ?? '').trim();
  return entered === '' ? null : (parseDuration(entered) ?? -1);
}
