import type { AuditEntry } from '@/server/contract/console/audit-entry';

const COLUMNS = [
  'id',
  'at',
  'actor',
  'actorKind',
  'address',
  'act',
  'namespace',
  'subject',
  'reason',
  'outcome',
  'closedAt',
  'requestId',
  'seen',
  'result',
] as const satisfies (keyof AuditEntry)[];

/**
 * Spreadsheets take a cell that begins like this for a formula, also behind spaces; some take the
 * full-width forms of these signs too.
 */
const FORMULA = /^\s*[=+\-@＝＋－＠\t\r\n|%]/;

/**
 * Entries as CSV (RFC 4180), with a head. Instants are ISO 8601 in UTC. A text that a spreadsheet
 * would run as a formula begins with an apostrophe, which shows it as text.
 */
export function auditCsv(entries: readonly AuditEntry[]): string {
  const lines = entries.map((entry) => COLUMNS.map((column) => cellOf(entry, column)).join(','));
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

/** Entries as JSON Lines: one `AuditEntry` per line. */
export function auditJsonLines(entries: readonly AuditEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

function cellOf(entry: AuditEntry, column: (typeof COLUMNS)[number]): string {
  const value = entry[column];
  if (value === null) return '';
  if (column === 'id') return String(value);
  if (column === 'at' || column === 'closedAt') return new Date(Number(value)).toISOString();
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
