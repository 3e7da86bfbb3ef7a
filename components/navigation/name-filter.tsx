'use client';

import { FilterChip, MenuChip } from '../ui/controls/choices/filter-chip';
import { Menu, MenuChoice } from '../ui/controls/menu';
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
  if (value !== null) {
    return <FilterChip label={label} value={value} onClear={() => setAddress({ [label]: null })} />;
  }
  if (choices.length < 2) return null;
  return (
    <Menu trigger={<MenuChip label={label} />}>
      {choices.map((choice) => (
        <MenuChoice key={choice} chosen={false} onSelect={() => setAddress({ [label]: choice })}>
          {choice}
        </MenuChoice>
      ))}
    </Menu>
  );
}
