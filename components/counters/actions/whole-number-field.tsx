'use client';

import type { ReactNode } from 'react';
import { Field } from '../../ui/controls/field';
import { parseWholeNumber } from '../counter-labels';

/**
 * A field for a whole number. Left empty it says nothing, which is a problem only where it must say
 * something.
 */
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
