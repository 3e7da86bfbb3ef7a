import { recordKey } from '../../storage/record-id';
import type { CommandQueue } from '../command-queue';
import type { EngineContext } from '../engine-context';
import { mayPass } from '../refusals';
import type { WaitingCall } from './waiting-call';

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

async function detach({ ask, waitsAt }: WaitingCall, commands: CommandQueue): Promise<void> {
  if (waitsAt === null) return;
  // At this lock only the waiter of a multi-lock is detached; no answer is stored with it.
  const remembered = ask.request.remembered && ask.set === undefined;
  const request = { ...ask.request, remembered };
  await commands.run(recordKey(waitsAt), { verb: 'detach', request });
}
