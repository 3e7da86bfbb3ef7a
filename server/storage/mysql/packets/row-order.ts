import { recordId } from '../../record-id';
import type { Change } from '../../record-store';

/** A change and the id of its row. */
export interface ChangedRow {
  id: string;
  change: Change;
}

/**
 * The order in which every packet of every process locks its rows: that of the ids as JavaScript
 * compares them. So no two packets wait for one another.
 */
export function byRowId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

export function inRowOrder(changes: Change[]): ChangedRow[] {
  // Not a copy of the change with its id: that takes a third of the time of writing the packet.
  return changes.map((change) => ({ id: recordId(change.key), change })).sort(byRowId);
}
