import { WorkTurns } from '../../../platform/work-turns';
import type { HistoryRow } from '../../../storage/record-store';

/** Changes that are worked off in a turn, where there are not too many. */
const CHANGES_PER_TURN = 300;

/** The more turns, the more commits come meanwhile. */
const TURNS_MAX = 20;

/**
 * The turns in which commits that were read together are worked off. Between two of them the rest
 * of this process runs, which may take a hundred times as long. So the turns are short where the
 * changes are few, and never many: a process that is always busy does not fall behind.
 */
export function turnsFor(commits: readonly HistoryRow[]): WorkTurns {
  const changes = commits.reduce((sum, commit) => sum + commit.changes.length, 0);
  return new WorkTurns(Math.max(CHANGES_PER_TURN, Math.ceil(changes / TURNS_MAX)));
}
