import type { ReactNode } from 'react';

/** A column: its name, or its name and how its head looks. */
export type Column =
  | string
  | {
      label: string;
      isNumber?: boolean;
      /** The name is only read aloud. */
      isHidden?: boolean;
      /** Tells the style sheet which column it is. */
      cell?: string;
      className?: string;
      /** In place of the name, such as a checkbox. */
      content?: ReactNode;
    };

/** The head of a table, one cell per column. */
export function TableHead({ columns }: { columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const { label, isNumber, isHidden, cell, className, content } =
            typeof column === 'string' ? { label: column } : column;
          const words = isHidden ? <span className="sr-only">{label}</span> : label;
          return (
            <th
              key={label}
              scope="col"
              data-cell={cell}
              data-number={isNumber}
              className={className}
            >
              {content ?? words}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
