import { WorkTurns } from '../../platform/work-turns';
import type { HistoryRow } from '../record-store';
import { decodeHistory, type StoredHistoryRow } from './history-codec';

/** Changes that are decoded before other work in this process gets a turn: about 2 ms. */
const CHANGES_PER_TURN = 800;

/** Decodes rows of history with pauses: thousands of changes in one go would delay every call. */
export async function decodeInTurns(rows: readonly StoredHistoryRow[]): Promise<HistoryRow[]> {
  const decoded: HistoryRow[] = [];
  const turns = new WorkTurns(CHANGES_PER_TURN);
  for (const row of rows) {
    if (turns.isOver) await turns.pause();
    const commit = decodeHistory(row);
    turns.count(commit.changes.length);
    decoded.push(commit);
  }
  return decoded;
}
