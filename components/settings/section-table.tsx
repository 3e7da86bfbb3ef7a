import type { ReactNode } from 'react';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { type Column, TableHead } from '../ui/table-head';
import { ReadNote, ReadsLostNote } from '../ui/unanswered/reads-note';

/** The table of a section, with actions at the end of each row; or why it is not loaded yet. */
export function SectionTable<Row>({
  of,
  columns,
  rows,
  error,
  empty,
  areActionsWide = false,
  children,
}: {
  /** What its rows are, in the plural. */
  of: string;
  columns: Column[];
  rows: Row[] | undefined;
  error: unknown;
  /** Shown in place of a table without rows. */
  empty?: string;
  /** Rows may have two actions. */
  areActionsWide?: boolean;
  /** Renders the `tr` of a row. */
  children: (row: Row) => ReactNode;
}) {
  const read = { data: rows, error };
  return (
    <>
      <ReadNote read={read} what={of} className="p-3.5" />
      <ReadsLostNote reads={[read]} />
      {!rows && error === null && <RowsSkeleton />}
      {rows?.length === 0 && <p className="px-3.5 py-4 text-t2">{empty}</p>}
      {rows && rows.length > 0 && (
        <div className="list-in-card">
          <table className="list">
            <TableHead
              columns={[
                ...columns,
                {
                  label: 'Actions',
                  isHidden: true,
                  className: areActionsWide ? 'md:w-38' : 'md:w-24',
                },
              ]}
            />
            <tbody>{rows.map(children)}</tbody>
          </table>
        </div>
      )}
    </>
  );
}
