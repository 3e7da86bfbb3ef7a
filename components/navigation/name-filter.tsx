'use client';

import { ChoiceFilter } from '../ui/controls/choices/choice-filter';
import { setAddress } from './set-address';

/**
 * A filter by one of several names, kept in the page's address; renders nothing without a choice.
 */
export function NameFilter({
  label,
  value,
  choices,
}: {
  /** Its name, also in the address. */
  label: 'namespace' | 'backend';
  value: string | null;
  choices: readonly string[];
}) {
  if (value === null && choices.length < 2) return null;
  return (
    <ChoiceFilter
      label={label}
      value={value}
      choices={choices}
      onChoose={(choice) => setAddress({ [label]: choice })}
    />
  );
}
