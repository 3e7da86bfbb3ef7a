import { setImmediate } from 'node:timers/promises';
import type { HistoryRow } from '../record-store';
import { decodeHistory, type StoredHistoryRow } from './history-codec';

/** Changes that are decoded before other work in this process gets a turn: about 2 ms. */
const CHANGES_PER_TURN = 800;

/** Rows of history, decoded bit by bit: thousands of changes would delay every call. */
export async function decodeInTurns(rows: readonly StoredHistoryRow[]): Promise<HistoryRow[]> {
  const decoded: HistoryRow[] = [];
  let sinceTurn = 0;
  for (const row of rows) {
    if (sinceTurn >= CHANGES_PER_TURN) {
      await setImmediate();
      sinceTurn = 0;
    }
    const commit = decodeHistory(row);
    sinceTurn += commit.changes.length;
    decoded.push(commit);
  }
  return decoded;
}
