import { WorkTurns } from '../../../platform/work-turns';
import type { HistoryRow } from '../../../storage/record-store';

/** Changes processed in one turn, unless that would take more than `TURNS_MAX` turns. */
const CHANGES_PER_TURN = 300;

/** The more turns, the more commits arrive meanwhile. */
const TURNS_MAX = 20;

/**
 * The turns in which commits that were read together are processed. Between two of them the rest of
 * this process runs, which can take a hundred times as long. So turns are short if there are few
 * changes, and their number is limited: recording in a busy process does not fall behind.
 */
export function turnsFor(commits: readonly HistoryRow[]): WorkTurns {
  const changes = commits.reduce((sum, commit) => sum + commit.changes.length, 0);
  return new WorkTurns(Math.max(CHANGES_PER_TURN, Math.ceil(changes / TURNS_MAX)));
}
