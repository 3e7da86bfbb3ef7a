import type { IdempotencyRecord } from '../core/decision';
import { decodeInTurns } from './codec/decode-in-turns';
import { recordKey } from './record-id';
import type { HistoryRow, Page, ReadRecord, StoredRecord } from './record-store';

/** A row as a driver returns it, its columns in the order of the statement. Ids may be bytes. */
type Row = ArrayLike<unknown>;

/** Rows of id, rev, writer, head and queue: the records by id. */
export function recordsById(rows: readonly Row[]): Map<string, StoredRecord> {
  return new Map(rows.map((row) => [String(row[0]), storedRecord(row)]));
}

/** Rows of id, rev and writer: what a swap found, by id. */
export function versionsById(rows: readonly Row[]): Map<string, { rev: number; writer: string }> {
  return new Map(
    rows.map(({ 0: id, 1: rev, 2: writer }) => [
      String(id),
      { rev: Number(rev), writer: String(writer) },
    ]),
  );
}

/** Rows of id, input hash, answer and expiry. */
export function storedAnswers(rows: readonly Row[]): IdempotencyRecord[] {
  return rows.map(({ 0: key, 1: inputHash, 2: answer, 3: expiresAt }) => ({
    key: String(key),
    inputHash: String(inputHash),
    answer: JSON.parse(String(answer)),
    expiresAt: Number(expiresAt),
  }));
}

/** Rows of id, instant, changes and the writers whose changes were applied. */
export function historyRows(rows: readonly Row[]): Promise<HistoryRow[]> {
  return decodeInTurns(
    rows.map(({ 0: id, 1: at, 2: changes, 3: took }) => ({
      id: Number(id),
      at: Number(at),
      changes: String(changes),
      took: String(took),
    })),
  );
}

/** Rows of id, rev, writer, head and queue in the order of their ids, at most `limit`: one page. */
export function pageOf(
  rows: readonly Row[],
  { namespace, limit, now }: { namespace: string | null; limit: number; now: number },
): Page {
  const records = rows.map((row): ReadRecord => {
    return { key: recordKey(String(row[0])), record: storedRecord(row), now };
  });
  const last = records.length === limit ? records.at(-1) : undefined;
  return { records, next: last ? { namespace, after: last.key } : null };
}

function storedRecord({ 1: rev, 2: writer, 3: head, 4: queue }: Row): StoredRecord {
  return { rev: Number(rev), writer: String(writer), head: String(head), queue: String(queue) };
}
