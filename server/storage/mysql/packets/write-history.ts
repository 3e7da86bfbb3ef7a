import { encodeHistory, hasEvents } from '../../codec/history-codec';
import { recordId } from '../../record-id';
import type { Change } from '../../record-store';
import { bytes, quote } from './sql-text';

/** The SQL with which a packet refers to its applied changes once its records are written. */
export interface AppliedTerms {
  /** `VALUES` or a query for at most one row: the clock, a text as given, and the writers. */
  historyRow(text: string): string;
  /** A condition: whether the change of this writer was applied. */
  isApplied(writer: string): string;
  /** Whether `VALUES` may be a table of its own, which is read faster than a union of rows. */
  hasTablesOfValues: boolean;
}

/** `@took` has the applied writers, separated by commas, or is null if there are none. */
const BY_VARIABLES: AppliedTerms = {
  historyRow: (text) => `SELECT @now, ${text}, @took FROM DUAL WHERE @took IS NOT NULL`,
  isApplied: (writer) => `FIND_IN_SET(${writer}, @took)`,
  hasTablesOfValues: false,
};

/** Writes the history of the applied changes and their answers. */
export function writeHistoryAndAnswers(changes: Change[]): string[] {
  return [
    ...(hasEvents(changes) ? [insertHistory(changes, BY_VARIABLES)] : []),
    ...writeAnswers(changes, BY_VARIABLES),
  ];
}

/** Writes the history of the applied changes. Only for changes with events. */
export function insertHistory(changes: Change[], { historyRow }: AppliedTerms): string {
  const text = quote(encodeHistory(changes));
  return `INSERT INTO lock_history (at, changes, took) ${historyRow(text)}`;
}

/** Writes the answers of the applied changes, and extends those that they extend. */
export function writeAnswers(changes: Change[], terms: AppliedTerms): string[] {
  const statements: string[] = [];
  const answered = changes.filter(({ storedAnswers }) => storedAnswers.length > 0);
  if (answered.length > 0) statements.push(insertAnswers(answered, terms));
  for (const change of changes) {
    if (change.extensions.length > 0) statements.push(...extendAnswers(change, terms));
  }
  return statements;
}

const ANSWER_COLUMNS = ['id', 'input_hash', 'answer', 'expires_at', 'lock_id'];

function insertAnswers(changes: Change[], terms: AppliedTerms): string {
  const rows = changes.flatMap(({ key: lock, writer, storedAnswers }) =>
    storedAnswers.map(({ key, inputHash, answer, expiresAt }) => {
      const texts = [writer, key, inputHash, JSON.stringify(answer)].map(quote);
      return [...texts, String(expiresAt), bytes(recordId(lock))];
    }),
  );
  return (
    `INSERT INTO lock_requests (${ANSWER_COLUMNS}) ${selectApplied(rows, terms)} ` +
    'ON DUPLICATE KEY UPDATE input_hash = VALUES(input_hash), answer = VALUES(answer), ' +
    'expires_at = VALUES(expires_at), lock_id = VALUES(lock_id)'
  );
}

/**
 * Selects the rows of the applied changes. Each row is a writer followed by the columns. One row
 * needs no temporary table.
 */
function selectApplied(rows: string[][], { isApplied, hasTablesOfValues }: AppliedTerms): string {
  const [[writer = '', ...values] = [], ...more] = rows;
  if (more.length === 0) return `SELECT ${values} FROM DUAL WHERE ${isApplied(writer)}`;
  const columns = ['writer', ...ANSWER_COLUMNS];
  const source = hasTablesOfValues
    ? `WITH c (${columns}) AS (VALUES (${rows.join('),(')})) SELECT ${ANSWER_COLUMNS} FROM c`
    : `SELECT ${ANSWER_COLUMNS} FROM (${unionOf(columns, rows)}) c`;
  return `${source} WHERE ${isApplied('c.writer')}`;
}

/** A table of these rows on every server. */
function unionOf(columns: string[], rows: string[][]): string {
  const named = (row: string[]) => row.map((value, i) => `${value} ${columns[i]}`);
  return rows.map((row, i) => `SELECT ${i === 0 ? named(row) : row}`).join(' UNION ALL ');
}

function extendAnswers({ writer, extensions }: Change, { isApplied }: AppliedTerms): string[] {
  return extensions.map(
    ({ keys, expiresAt }) =>
      `UPDATE lock_requests SET expires_at = GREATEST(expires_at, ${expiresAt}) WHERE id IN ` +
      `(${keys.map((key) => quote(key))}) AND ${isApplied(quote(writer))}`,
  );
}
