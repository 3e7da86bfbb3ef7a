import { recordId, recordKey } from '../record-id';
import type { Change, HistoryRow } from '../record-store';
import { decodeEvents, type EventTuple, textsOf } from './event-codec';

type ChangeTuple = [writer: string, id: string, rev: number, events: EventTuple[]];

/** Whether any of these changes has events. */
export function hasEvents(changes: Change[]): boolean {
  return changes.some((change) => change.events.length > 0);
}

/** The changes that a commit proposes, as text. The store records separately which it applied. */
export function encodeHistory(changes: Change[]): string {
  const texts: string[] = [];
  for (const change of changes) {
    const { writer, key, rev, events } = change;
    if (events.length === 0) continue;
    const of = `${JSON.stringify(writer)},${JSON.stringify(recordId(key))},${rev}`;
    texts.push(`[${of},[${textsOf(change)}]]`);
  }
  return `[${texts}]`;
}

/** A row of history as a store keeps it. */
export interface StoredHistoryRow {
  id: number;
  at: number;
  /** The text of `encodeHistory`. */
  changes: string;
  /** The writers of the applied changes, separated by commas. */
  took: string;
}

/** The events of the applied changes. */
export function decodeHistory({ id, at, changes, took }: StoredHistoryRow): HistoryRow {
  const writers = new Set(took.split(','));
  return historyRow({ id, at }, changes, (writer) => writers.has(writer));
}

/**
 * @param text the text of `encodeHistory`
 * @param isApplied whether the change of a writer was applied
 */
export function historyRow(
  { id: rowId, at }: Pick<HistoryRow, 'id' | 'at'>,
  text: string,
  isApplied: (writer: string) => boolean,
): HistoryRow {
  const changes: HistoryRow['changes'] = [];
  for (const [writer, id, rev, tuples] of JSON.parse(text) as ChangeTuple[]) {
    if (!isApplied(writer)) continue;
    const events = tuples.flatMap((tuple) => decodeEvents(tuple, rev));
    changes.push({ key: recordKey(id), rev, events });
  }
  return { id: rowId, at, changes };
}
