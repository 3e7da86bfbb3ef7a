import type { CounterEvent } from '../../core/counter/counter-event';
import type { RecordEvent } from '../../core/record-event';
import { recordId, recordKey } from '../record-id';
import type { Change, HistoryRow, RecordKey } from '../record-store';
import { decodeEvents, type EventTuple, textsOf } from './event-codec';
import { UnreadableRecord } from './unreadable-record';

type ChangeTuple = [writer: string, id: string, rev: number, events: EventTuple[]];

/** Whether any of these changes has events. */
export function hasEvents(changes: Change[]): boolean {
  return changes.some((change) => change.events.length > 0);
}

/** The changes that a commit proposes, as text. The store records separately which it applied. */
export function encodeHistory(changes: Change[]): string {
  const parts = ['['];
  for (const change of changes) {
    const { writer, key, rev, events } = change;
    if (events.length === 0) continue;
    const of = JSON.stringify([writer, recordId(key), rev]).slice(0, -1);
    parts.push(parts.length === 1 ? '' : ',', of, ',[', textsOf(change).join(','), ']]');
  }
  parts.push(']');
  return parts.join('');
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

/** The events of the applied changes; none of a row that is unreadable. */
export function decodeHistory({ id, at, changes, took }: StoredHistoryRow): HistoryRow {
  const writers = new Set(took.split(','));
  return historyRow({ id, at }, changes, (writer) => writers.has(writer));
}

/**
 * @param text the text of `encodeHistory`; another one makes the row unreadable
 * @param isApplied whether the change of a writer was applied
 */
export function historyRow(
  { id, at }: Pick<HistoryRow, 'id' | 'at'>,
  text: string,
  isApplied: (writer: string) => boolean,
): HistoryRow {
  try {
    requireNumber(at);
    return { id, at, changes: changesIn(text, isApplied) };
  } catch {
    return unreadableRow(id, at);
  }
}

/** A row that no version of Lockyard wrote. */
export const unreadableRow = (id: number, at: number): HistoryRow => ({
  id,
  at,
  changes: [],
  isUnreadable: true,
});

function changesIn(text: string, isApplied: (writer: string) => boolean): HistoryRow['changes'] {
  const changes: HistoryRow['changes'] = [];
  for (const [writer, id, rev, tuples] of JSON.parse(text) as ChangeTuple[]) {
    if (!isApplied(writer)) continue;
    const key = recordKey(id);
    const events = tuples.flatMap((tuple) => decodeEvents(tuple, rev));
    for (const event of events) requireValidEvent(event, key);
    changes.push({ key, rev, events });
  }
  return changes;
}

/** @throws UnreadableRecord for an event that could not be recorded */
function requireValidEvent(event: RecordEvent, { kind }: RecordKey): void {
  requireNumber(event.at);
  requireNumber(event.rev);
  if (kind === 'counter') requireNumber((event as CounterEvent).value);
}

function requireNumber(value: unknown): void {
  if (!Number.isFinite(value)) throw new UnreadableRecord('It lacks a number.');
}
