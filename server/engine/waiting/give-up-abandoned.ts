import { recordKey } from '../../storage/record-id';
import type { CommandQueue } from '../command-queue';
import type { EngineContext } from '../engine-context';
import { isTransient } from '../refusals';
import { detachCommand, type WaitingCall } from './waiting-call';

/**
 * Gives up the places of calls that ended when that was not possible. As at the end of every
 * request, a place is kept briefly, and delays the waiters behind it no longer than that. A failure
 * is repeated the next time.
 */
export function giveUpAbandoned({ waiters }: EngineContext, commands: CommandQueue): void {
  for (const call of waiters.takeAbandoned()) {
    detach(call, commands).catch((error) => {
      if (isTransient(error)) waiters.abandon(call);
    });
  }
}

async function detach(call: WaitingCall, commands: CommandQueue): Promise<void> {
  if (call.waitsAt === null) return;
  await commands.run(recordKey(call.waitsAt), detachCommand(call));
}
