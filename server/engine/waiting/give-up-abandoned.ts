import { recordKey } from '../../storage/record-id';
import type { CommandQueue } from '../command-queue';
import type { EngineContext } from '../engine-context';
import { mayPass } from '../refusals';
import { detachCommand, type WaitingCall } from './waiting-call';

/**
 * Gives up the places of calls that ended while that was not possible. As at the end of every
 * request, a place is kept for a moment, and does not delay those behind it for longer. What fails
 * is tried again the next time.
 */
export function giveUpAbandoned({ waiters }: EngineContext, commands: CommandQueue): void {
  for (const call of waiters.takeAbandoned()) {
    detach(call, commands).catch((error) => {
      if (mayPass(error)) waiters.abandon(call);
    });
  }
}

async function detach(call: WaitingCall, commands: CommandQueue): Promise<void> {
  if (call.waitsAt === null) return;
  await commands.run(recordKey(call.waitsAt), detachCommand(call));
}
