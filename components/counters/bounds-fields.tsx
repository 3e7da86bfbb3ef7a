'use client';

import type { ReactNode } from 'react';
import { Field } from '../ui/controls/field';
import { parseWholeNumber } from './counter-labels';

/** Floor and ceiling, side by side. */
export function BoundsFields({
  typed,
  onChange,
}: {
  typed: TypedBounds;
  onChange: (typed: TypedBounds) => void;
}) {
  const crossed = parseBounds(typed).areCrossed ? 'Above the ceiling' : null;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <WholeNumberField
        label="Floor"
        hint="empty: no limit"
        value={typed.floor}
        problem={crossed}
        onChange={(floor) => onChange({ ...typed, floor })}
      />
      <WholeNumberField
        label="Ceiling"
        hint="empty: no limit"
        value={typed.ceiling}
        onChange={(ceiling) => onChange({ ...typed, ceiling })}
      />
    </div>
  );
}

/** Two bounds as they were typed. */
export interface TypedBounds {
  floor: string;
  ceiling: string;
}

export interface ParsedBounds {
  floor: number | null;
  ceiling: number | null;
  /** False if one of them is not a number, or the floor is above the ceiling. */
  areValid: boolean;
  areCrossed: boolean;
}

/** Empty: no such bound. */
export function parseBounds(typed: TypedBounds): ParsedBounds {
  const floor = parseWholeNumber(typed.floor);
  const ceiling = parseWholeNumber(typed.ceiling);
  const areNumbers =
    (typed.floor.trim() === '' || floor !== null) &&
    (typed.ceiling.trim() === '' || ceiling !== null);
  const areCrossed = floor !== null && ceiling !== null && floor > ceiling;
  return { floor, ceiling, areValid: areNumbers && !areCrossed, areCrossed };
}

export const isBetween = (value: number, { floor, ceiling }: ParsedBounds): boolean =>
  (floor === null || value >= floor) && (ceiling === null || value <= ceiling);

/** A field for a whole number. Empty is a problem only where a number is required. */
export function WholeNumberField({
  label,
  hint,
  value,
  onChange,
  problem = null,
}: {
  label: string;
  hint?: ReactNode;
  value: string;
  onChange: (value: string) => void;
  problem?: string | null;
}) {
  const isNumber = value.trim() === '' || parseWholeNumber(value) !== null;
  return (
    <Field
      label={label}
      hint={hint}
      value={value}
      inputMode="numeric"
      autoComplete="off"
      maxLength={32}
      mono
      problem={isNumber ? problem : 'Must be an integer below 2^53'}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
