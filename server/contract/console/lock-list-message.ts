import type { LockPage, LockRow } from './lock-row';

/** A page of the lock list without its rows. */
export type LockFrame = Omit<LockPage, 'rows'>;

/**
 * The messages of a live lock list. The first contains the whole window, later ones the changes
 * since the message before. A stream that resumes after a stored message continues with changes.
 */
export type LockListMessage =
  | { kind: 'whole'; page: LockPage; asOf: number }
  | {
      kind: 'changes';
      /** Rows of the window that changed or are new to it, in no order. */
      rows: LockRow[];
      /** The ids of all rows of the window, in order; absent if unchanged. */
      order?: string[];
      offset: number;
      /** Only the fields that have changed. */
      frame: Partial<LockFrame>;
      asOf: number;
    };

/** The page after a message, given the page before it. Unchanged rows are the same objects. */
export function pageAfter(before: LockPage, message: LockListMessage): LockPage {
  if (message.kind === 'whole') return message.page;
  const { rows, order, frame, offset, asOf } = message;
  const rest = { ...before, ...frame, offset, asOf };
  if (rows.length === 0 && !order) return { ...rest, rows: before.rows };
  const fresh = new Map(rows.map((row) => [row.id, row]));
  if (!order) return { ...rest, rows: before.rows.map((row) => fresh.get(row.id) ?? row) };
  const old = new Map(before.rows.map((row) => [row.id, row]));
  return { ...rest, rows: order.flatMap((id) => fresh.get(id) ?? old.get(id) ?? []) };
}
