import { recordId } from '../../record-id';
import type { Change, RecordKey } from '../../record-store';

/** A change and the id of its row. */
export type ChangedRow = Change & { id: string };

/**
 * The order in which every packet of every process locks its rows: that of the ids as JavaScript
 * compares them. So no two packets wait for one another.
 */
export function inRowOrder<T extends { key: RecordKey }>(all: T[]): (T & { id: string })[] {
  const rows = all.map((each) => ({ ...each, id: recordId(each.key) }));
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}
