import type { Decision } from '../../core/decision';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { CommandQueue } from '../command-queue';
import type { EngineContext } from '../engine-context';

/** The waits on one lock that a commit has ended. */
type EndedWaits = Pick<Decision<unknown>, 'handOffs' | 'timeouts'> & { key: RecordKey };

/**
 * Ends the waits of callers of this process that were granted the lock or timed out.
 *
 * Grants are delivered before any other caller is answered: a granted caller must not receive an
 * earlier state. A grant that no caller can receive is reverted, or kept briefly if its caller can
 * repeat its request.
 *
 * @param elapsedMs how much of the leases may already have passed
 */
export function endWaits(
  context: EngineContext,
  commands: CommandQueue,
  { key, handOffs, timeouts }: EndedWaits,
  elapsedMs: number,
): void {
  for (const tag of timeouts) context.waiters.wake(recordId(key), tag, { why: 'patience' });
  if (handOffs.length === 0) return;
  const asOf = context.monotonic();
  for (const handOff of handOffs) {
    const { hold } = handOff;
    const left = { rev: hold.rev, expiresInMs: Math.floor(hold.leaseMs - elapsedMs), asOf };
    const isReceived = context.waiters.deliver(recordId(key), handOff, left);
    if (isReceived) continue;
    const [requestKey] = hold.requests;
    if (requestKey === undefined) {
      commands.unreceived.revert(key, hold);
      continue;
    }
    const request = { key: requestKey, inputHash: '', remembered: false };
    void commands.unreceived.keepBriefly(key, request);
  }
}
