import type { Memo } from '../../domain/decision';
import { decodeHistory, encodeHistory } from '../history-text';
import type { Change, HistoryRow, StoredRecord } from '../record-store';
import { decodeJudged, encodeJudged, isWithin, mayBeLate, type Window } from './judged-text';

/** A record's znode. A queue that the change leaves alone is kept once, not twice. */
export function recordData(
  window: Window,
  record: StoredRecord,
  before: StoredRecord | null,
): Buffer {
  const isShared = before?.queue === record.queue;
  return encodeJudged(window, recordText(record, false), before && recordText(before, isShared));
}

export function recordOf(data: Buffer, writtenAt: number): StoredRecord | null {
  const { stands, written } = decodeJudged(data, writtenAt);
  if (stands === null) return null;
  const { isShared, ...record } = parseRecord(stands);
  return isShared ? { ...record, queue: parseRecord(written ?? '').queue } : record;
}

function recordText({ rev, writer, head, queue }: StoredRecord, isShared: boolean): string {
  return `${JSON.stringify([rev, writer, head.length, isShared])}\n${head}${isShared ? '' : queue}`;
}

function parseRecord(text: string): StoredRecord & { isShared: boolean } {
  const start = text.indexOf('\n') + 1;
  const [rev, writer, length, isShared] = JSON.parse(text.slice(0, start)) as RecordHead;
  const end = start + length;
  return { rev, writer, head: text.slice(start, end), queue: text.slice(end), isShared };
}

type RecordHead = [rev: number, writer: string, length: number, isShared: boolean];

/** A remembered answer's znode. */
export function memoData(window: Window, memo: Memo, before: Memo | null): Buffer {
  return encodeJudged(window, JSON.stringify(memo), before && JSON.stringify(before));
}

export function memoOf(data: Buffer, writtenAt: number): Memo | null {
  const { stands } = decodeJudged(data, writtenAt);
  return stands === null ? null : (JSON.parse(stands) as Memo);
}

/** The znode of one row of the history: what was written at once, each change with the window in which it counts. */
export function historyData(changes: { change: Change; window: Window }[]): Buffer {
  const told = changes.filter(({ change }) => change.events.length > 0);
  const windows = told.map(
    ({ change, window }): WriterWindow =>
      mayBeLate(window)
        ? [change.writer, window.past, window.ahead === Number.POSITIVE_INFINITY ? 0 : window.ahead]
        : [change.writer],
  );
  const text = encodeHistory(told.map(({ change }) => change));
  return Buffer.from(`${JSON.stringify(windows)}\n${text}`, 'utf8');
}

/** The row, with the events of those changes that counted; there may be none. */
export function historyRow(id: number, data: Buffer, writtenAt: number): HistoryRow {
  const all = data.toString('utf8');
  const start = all.indexOf('\n') + 1;
  const windows = JSON.parse(all.slice(0, start)) as WriterWindow[];
  const took = windows.filter(([, past = 0, ahead = 0]) =>
    isWithin({ past, ahead: ahead || Number.POSITIVE_INFINITY }, writtenAt),
  );
  const writers = took.map(([writer]) => writer).join(',');
  return decodeHistory({ id, at: writtenAt, changes: all.slice(start), took: writers });
}

type WriterWindow = [writer: string, past?: number, ahead?: number];
