import type { IdempotencyRecord } from '../../core/decision';
import { encodeHistory, historyRow, unreadableRow } from '../codec/history-codec';
import type { Change, HistoryRow, StoredRecord } from '../record-store';
import { decodeWindowed, encodeWindowed, isWithin, mayBeLate, type Window } from './windowed-codec';

/** A record, and the child of its znode that holds its queue; null: the znode itself holds it. */
export interface RecordAndQueue {
  record: StoredRecord;
  queueIn: string | null;
}

/** The content of a record's znode. An unchanged queue is stored once, not twice. */
export function encodeRecordZnode(
  window: Window,
  written: RecordAndQueue,
  before: RecordAndQueue | null,
): string {
  const isShared = before?.record.queue === written.record.queue && written.queueIn === null;
  const kept = before && recordText(before.record, before.queueIn ?? isShared);
  return encodeWindowed(window, recordText(written.record, written.queueIn ?? false), kept);
}

/** The parsed content of such a znode. */
export interface DecodedRecord {
  /** Null: no record. Its queue is empty here if a child holds it. */
  effective: StoredRecord | null;
  queueIn: string | null;
  /** All children named in the znode. */
  children: string[];
}

/**
 * A content that Lockyard did not write is a record with the rev NaN: it is unreadable by itself,
 * and does not fail the read of other records.
 */
export function decodeRecordZnode(data: Buffer, writtenAt: number): DecodedRecord {
  try {
    return decodeWritten(data, writtenAt);
  } catch {
    const effective = { rev: Number.NaN, writer: '', head: data.toString('utf8'), queue: '' };
    return { effective, queueIn: null, children: [] };
  }
}

function decodeWritten(data: Buffer, writtenAt: number): DecodedRecord {
  const { effective, written, before } = decodeWindowed(data, writtenAt);
  const named = [written, before].flatMap((text) => (text === null ? [] : childIn(text)));
  const children = [...new Set(named)];
  if (effective === null) return { effective, queueIn: null, children };
  const { record, queueAt } = parseRecord(effective);
  if (queueAt === true) record.queue = parseRecord(written).record.queue;
  return { effective: record, queueIn: typeof queueAt === 'string' ? queueAt : null, children };
}

function childIn(text: string): string[] {
  const { queueAt } = parseRecord(text);
  return typeof queueAt === 'string' ? [queueAt] : [];
}

function recordText({ rev, writer, head, queue }: StoredRecord, queueAt: QueueAt): string {
  const text = `${JSON.stringify([rev, writer, head.length, queueAt])}\n${head}`;
  return queueAt === false ? text + queue : text;
}

function parseRecord(text: string): { record: StoredRecord; queueAt: QueueAt } {
  const start = text.indexOf('\n') + 1;
  const [rev, writer, length, queueAt] = JSON.parse(text.slice(0, start)) as RecordHead;
  const end = start + length;
  const record = { rev, writer, head: text.slice(start, end), queue: text.slice(end) };
  return { record, queueAt };
}

/**
 * False: the queue follows the head. True: it equals that of the text written after this one. A
 * text: the child that holds it.
 */
type QueueAt = boolean | string;

type RecordHead = [rev: number, writer: string, length: number, queueAt: QueueAt];

/** The content of a remembered answer's znode. */
export function encodeAnswerZnode(
  window: Window,
  storedAnswer: IdempotencyRecord,
  before: IdempotencyRecord | null,
): string {
  return encodeWindowed(window, JSON.stringify(storedAnswer), before && JSON.stringify(before));
}

export function decodeAnswerZnode(data: Buffer, writtenAt: number): IdempotencyRecord | null {
  const { effective } = decodeWindowed(data, writtenAt);
  return effective === null ? null : (JSON.parse(effective) as IdempotencyRecord);
}

/** The content of a history row's znode: one commit, each change with its window. */
export interface HistoryContent {
  windows: WriterWindow[];
  /** The text of `encodeHistory`. */
  changes: string;
}

export function historyContent(changes: { change: Change; window: Window }[]): HistoryContent {
  const withEvents = changes.filter(({ change }) => change.events.length > 0);
  const windows = withEvents.map(
    ({ change, window }): WriterWindow =>
      mayBeLate(window)
        ? [change.writer, window.past, window.ahead === Number.POSITIVE_INFINITY ? 0 : window.ahead]
        : [change.writer],
  );
  return { windows, changes: encodeHistory(withEvents.map(({ change }) => change)) };
}

export function encodeHistoryZnode({ windows, changes }: HistoryContent): string {
  return `${JSON.stringify(windows)}\n${changes}`;
}

/** The row of a znode; a content that Lockyard did not write is an unreadable row. */
export function historyRowOf(id: number, data: Buffer, writtenAt: number): HistoryRow {
  try {
    return rowOfContent(id, decodeHistoryZnode(data), writtenAt);
  } catch {
    return unreadableRow(id, writtenAt);
  }
}

function decodeHistoryZnode(data: Buffer): HistoryContent {
  const all = data.toString('utf8');
  const start = all.indexOf('\n') + 1;
  return { windows: JSON.parse(all.slice(0, start)), changes: all.slice(start) };
}

/** The row, with the events of the changes within their windows; there may be none. */
export function rowOfContent(
  id: number,
  { windows, changes }: HistoryContent,
  writtenAt: number,
): HistoryRow {
  const applied = windows.filter(([, past = 0, ahead = 0]) =>
    isWithin({ past, ahead: ahead || Number.POSITIVE_INFINITY }, writtenAt),
  );
  const writers = new Set(applied.map(([writer]) => writer));
  return historyRow({ id, at: writtenAt }, changes, (writer) => writers.has(writer));
}

type WriterWindow = [writer: string, past?: number, ahead?: number];
