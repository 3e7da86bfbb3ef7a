import { STORE_CALL_MAX_MS } from '../../core/timing';
import type { PendingCommand } from '../pending-command';
import type { CommandGroup } from './batcher';

/**
 * Splits the groups of a commit into packets. A packet is abandoned when the budget of its most
 * urgent command ends, so commands without time for a second store call go in a separate packet.
 * Commands that were refused meanwhile are removed.
 *
 * @param now on the monotonic clock
 */
export function splitByUrgency(groups: CommandGroup[], now: number): CommandGroup[][] {
  const hasTime = ({ isAnswered, dueAt }: PendingCommand) =>
    !isAnswered && dueAt - now > STORE_CALL_MAX_MS;
  if (groups.every(({ commands }) => commands.every(hasTime))) return [groups];
  const ordinary: CommandGroup[] = [];
  const urgent: CommandGroup[] = [];
  for (const group of groups.map(withoutAnswered)) {
    if (group.commands.length === 0) continue;
    const leftMs = earliestDueAt([group]) - now;
    (leftMs > STORE_CALL_MAX_MS ? ordinary : urgent).push(group);
  }
  return [ordinary, urgent].filter(({ length }) => length > 0);
}

function withoutAnswered(group: CommandGroup): CommandGroup {
  const { id, commands } = group;
  if (!commands.some(({ isAnswered }) => isAnswered)) return group;
  return { id, commands: commands.filter(({ isAnswered }) => !isAnswered) };
}

/** When the first of their commands' budgets ends, on the monotonic clock. */
export function earliestDueAt(groups: CommandGroup[]): number {
  let dueAt = Number.POSITIVE_INFINITY;
  for (const { commands } of groups) {
    for (const pending of commands) dueAt = Math.min(dueAt, pending.dueAt);
  }
  return dueAt;
}
