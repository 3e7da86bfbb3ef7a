import type { LockPage, LockRow } from './lock-row';

/** Everything that a page of the lock list says besides its rows. */
export type LockFrame = Omit<LockPage, 'rows'>;

/**
 * What a live lock list sends. First the whole window, then what has changed since the message before. A stream that
 * resumes from a message that the server still knows of goes on with changes.
 */
export type LockListMessage =
  | { kind: 'whole'; page: LockPage; asOf: number }
  | {
      kind: 'changes';
      /** Rows of the window that have changed or entered it, in no order. */
      rows: LockRow[];
      /** The ids of all rows of the window, in order; absent while they are the same in the same order. */
      order?: string[];
      offset: number;
      /** Only what has changed. */
      frame: Partial<LockFrame>;
      asOf: number;
    };

/** The page after a message, given the page before it. Rows that have not changed stay the same objects. */
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
