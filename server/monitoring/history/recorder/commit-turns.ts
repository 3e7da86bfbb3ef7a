import { WorkTurns } from '../../../platform/work-turns';
import type { HistoryRow } from '../../../storage/record-store';

/** Changes processed in one turn, unless that would take more than `TURNS_MAX` turns. */
const CHANGES_PER_TURN = 300;

/** The most turns for commits that were read together: during each pause more commits arrive. */
const TURNS_MAX = 20;

/**
 * The turns in which commits that were read together are processed. Between two turns this process
 * does its other work, which can take a hundred times as long as a turn. Few changes are processed
 * in short turns; many are divided among at most `TURNS_MAX`, so that a busy process keeps up.
 */
export function turnsFor(commits: readonly HistoryRow[]): WorkTurns {
  const changes = commits.reduce((sum, commit) => sum + commit.changes.length, 0);
  return new WorkTurns(Math.max(CHANGES_PER_TURN, Math.ceil(changes / TURNS_MAX)));
}
