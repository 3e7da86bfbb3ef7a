import { type Change, StoreError } from '../record-store';
import type { StoreIncarnation } from './store-incarnation';

/**
 * Records permanently how long the holds may last that these changes grant or renew. Await it
 * before the first such change is written.
 *
 * @throws StoreError if the control database does not answer: then nothing may be written
 */
export async function recordMaxLease(life: StoreIncarnation, changes: Change[]): Promise<void> {
  const leaseMs = longestLeaseMs(changes);
  if (life.hasRecordedLease(leaseMs)) return;
  await life.recordLease(leaseMs).catch((cause) => {
    throw new StoreError('The control database does not answer.', 'no', { cause });
  });
}

function longestLeaseMs(changes: Change[]): number {
  let longest = 0;
  for (const { events } of changes) {
    for (const event of events) {
      if ('expiresAt' in event && event.expiresAt !== undefined) {
        longest = Math.max(longest, event.expiresAt - event.at);
      }
    }
  }
  return longest;
}
