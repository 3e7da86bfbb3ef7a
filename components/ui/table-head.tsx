/** A column: its name, or that with what sets its width. */
export type Column = string | { label: string; isNumber?: boolean; className?: string };

/** The head of a table, a cell a column. */
export function TableHead({ columns }: { columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const { label, isNumber, className } =
            typeof column === 'string' ? { label: column } : column;
          return (
            <th key={label} scope="col" data-number={isNumber} className={className}>
              {label}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
