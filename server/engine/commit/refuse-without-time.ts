import type { LockyardError } from '../../contract/errors';
import type { CommandQueue } from '../command-queue';
import type { EngineContext } from '../engine-context';
import type { PendingCommand } from '../pending-command';
import { hasTimeToRetry } from './has-time-to-retry';

/**
 * Refuses the commands on one record that have no time for another call of the store, after one
 * that has surely changed nothing has failed; the others are decided again.
 */
export function refuseWithoutTime(
  context: EngineContext,
  queue: CommandQueue,
  commands: readonly PendingCommand[],
  error: LockyardError,
): void {
  const now = context.monotonic();
  const hasTime = ({ dueAt }: PendingCommand) => hasTimeToRetry(dueAt, now);
  for (const pending of commands) if (!hasTime(pending)) pending.refuse(error);
  queue.retry(commands.filter(hasTime));
}
