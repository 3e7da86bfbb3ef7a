import type { ReactNode } from 'react';
import { Menu, MenuChoice } from '../menu';
import { FilterChip, MenuChip } from './filter-chip';

/** A filter by one of several choices: a menu of them, or, once one is set, a chip to remove it. */
export function ChoiceFilter<Choice extends string | number>({
  label,
  value,
  choices,
  labelOf = String,
  endOf,
  onChoose,
}: {
  label: string;
  /** Null: not set. */
  value: Choice | null;
  choices: readonly Choice[];
  labelOf?: (choice: Choice) => string;
  /** What a choice shows at its end. */
  endOf?: (choice: Choice) => ReactNode;
  /** Called with null to remove the filter. */
  onChoose: (choice: Choice | null) => void;
}) {
  if (value !== null) {
    return <FilterChip label={label} value={labelOf(value)} onClear={() => onChoose(null)} />;
  }
  return (
    <Menu trigger={<MenuChip label={label} />}>
      {choices.map((choice) => (
        <MenuChoice
          key={choice}
          chosen={false}
          end={endOf?.(choice)}
          onSelect={() => onChoose(choice)}
        >
          {labelOf(choice)}
        </MenuChoice>
      ))}
    </Menu>
  );
}
