import type { LockyardError } from '../../contract/errors';
import { STORE_RETRY_MS } from '../../core/timing';
import type { CommandQueue } from '../command-queue';
import type { EngineContext } from '../engine-context';
import type { PendingCommand } from '../pending-command';

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
  const lastCallAt = context.monotonic() + STORE_RETRY_MS;
  for (const pending of commands) if (pending.dueAt <= lastCallAt) pending.refuse(error);
  queue.retry(commands.filter(({ dueAt }) => dueAt > lastCallAt));
}
