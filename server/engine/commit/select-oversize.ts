import type { PendingCommand } from '../pending-command';
import type { CommandOutcome } from './decide-batch';

/**
 * Selects the commands to refuse when the record that several commands produced is too large for
 * its store: the newer half of the acquires, because only they make it grow without bounds. The
 * others are decided again without them, so that acquires of other callers never prevent a release
 * or a renewal. Without any acquire: all commands that changed the record.
 */
export function selectOversize(outcomes: readonly CommandOutcome[]): ReadonlySet<PendingCommand> {
  const changing = outcomes.filter(({ changed }) => changed).map(({ pending }) => pending);
  const newcomers = changing.filter(({ command }) => command.verb === 'acquire');
  const stay = Math.floor(newcomers.length / 2);
  return new Set(newcomers.length > 0 ? newcomers.slice(stay) : changing);
}
