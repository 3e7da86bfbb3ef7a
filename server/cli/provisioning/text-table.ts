import { printable } from '../../../client/command/terminal/printable';

/** What people read in place of the name of a field in the API. */
const LABELS: Record<string, string> = {
  createdAt: 'created',
  createdBy: 'created by',
  disabledAt: 'disabled',
  endsAt: 'ends',
  expiresAt: 'expires',
  isWitness: 'witness',
  lastUsedAt: 'last used',
  replacedBy: 'replaced by',
  revokedAt: 'revoked',
  sessions: 'open sessions',
};

const labelOf = (name: string) => LABELS[name] ?? name;

/** In capitals, as `lockyard ls` has it, but for a setting such as `stuckForMs`, as in `--set`. */
function headOf(name: string): string {
  const label = labelOf(name);
  return /[A-Z]/.test(label) ? label : label.toUpperCase();
}

/** Rows for people: one line each, below the heads of the columns; null: there are no rows. */
export function textTable(rows: Record<string, unknown>[]): string | null {
  const [first] = rows;
  if (!first) return null;
  const columns = Object.keys(first);
  const cells = [
    columns.map(headOf),
    ...rows.map((row) => columns.map((name) => cell(name, row[name]))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => (row[at] ?? '').length)));
  return cells
    .map((row) =>
      row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One row for people: a line for each field. */
export const textFields = (row: Record<string, unknown>): string =>
  Object.entries(row)
    .map(([name, value]) => `${labelOf(name)}: ${cell(name, value)}`)
    .join('\n');

/** Formats instants, whose names end in `At`, as dates, and absent values as `-`. */
function cell(name: string, value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : printable(value.join(','));
  if (typeof value === 'number' && name.endsWith('At')) return new Date(value).toISOString();
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
