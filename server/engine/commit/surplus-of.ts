import type { PendingCommand } from '../pending-command';
import type { Outcome } from './decide-group';

/**
 * Who is refused when what several commands made of one record is too large for its store: the newer half of those that
 * acquired, for they alone make it grow without bounds. The others are decided again without them, so that nobody is kept
 * from letting go of a lock, or from renewing it, by what strangers ask for. Where nobody acquired: all that changed it.
 */
export function surplusOf(outcomes: readonly Outcome[]): ReadonlySet<PendingCommand> {
  const changing = outcomes.filter(({ changed }) => changed).map(({ pending }) => pending);
  const newcomers = changing.filter(({ command }) => command.verb === 'acquire');
  const stay = Math.floor(newcomers.length / 2);
  return new Set(newcomers.length > 0 ? newcomers.slice(stay) : changing);
}
