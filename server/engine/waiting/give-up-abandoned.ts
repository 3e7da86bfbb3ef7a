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
  const detach = async (call: WaitingCall) => {
    const { waitsAt } = call;
    if (waitsAt === null) return;
    await commands.run(recordKey(waitsAt), detachCommand(call));
    waiters.resumeOthers(waitsAt, call);
  };
  for (const call of waiters.takeAbandoned()) {
    detach(call).catch((error) => {
      if (isTransient(error)) waiters.abandon(call);
    });
  }
}
