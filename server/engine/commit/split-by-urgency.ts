import { STORE_CALL_MAX_MS } from '../../core/timing';
import type { PendingCommand } from '../pending-command';
import type { CommandGroup } from './batcher';

/**
 * Splits what is committed together into packets. A packet is given up when the time of its most
 * urgent command is over, so commands without time for a second call of the store go in a packet of
 * their own.
 * Commands that were refused meanwhile are left out.
 *
 * @param now on the monotonic clock
 */
export function splitByUrgency(groups: CommandGroup[], now: number): CommandGroup[][] {
  const isUsual = ({ isAnswered, dueAt }: PendingCommand) =>
    !isAnswered && dueAt - now > STORE_CALL_MAX_MS;
  if (groups.every(({ commands }) => commands.every(isUsual))) return [groups];
  const patient: CommandGroup[] = [];
  const urgent: CommandGroup[] = [];
  for (const group of groups.map(withoutAnswered)) {
    if (group.commands.length === 0) continue;
    const leftMs = earliestDueAt([group]) - now;
    (leftMs > STORE_CALL_MAX_MS ? patient : urgent).push(group);
  }
  return [patient, urgent].filter(({ length }) => length > 0);
}

function withoutAnswered(group: CommandGroup): CommandGroup {
  const { id, commands } = group;
  if (!commands.some(({ isAnswered }) => isAnswered)) return group;
  return { id, commands: commands.filter(({ isAnswered }) => !isAnswered) };
}

/** When the first of their budgets is over. */
export function earliestDueAt(groups: CommandGroup[]): number {
  let dueAt = Number.POSITIVE_INFINITY;
  for (const { commands } of groups) {
    for (const pending of commands) dueAt = Math.min(dueAt, pending.dueAt);
  }
  return dueAt;
}
