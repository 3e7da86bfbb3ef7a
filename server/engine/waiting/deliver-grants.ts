import type { HandOff } from '../../core/decision';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { WaiterRegistry } from './waiter-registry';

export interface DeliveryDependencies {
  room: WaiterRegistry;
  monotonic: () => number;
  /** Gives back a grant that no caller was there to receive. */
  withdraw: (key: RecordKey, token: number) => void;
}

/**
 * Delivers the committed grants to their waiting callers before any other caller is answered: a
 * granted caller must not receive an earlier state.
 *
 * @param elapsedMs how much of their leases may have passed since these began
 */
export function deliverGrants(
  { room, withdraw, monotonic }: DeliveryDependencies,
  key: RecordKey,
  handOffs: HandOff[],
  elapsedMs: number,
): void {
  if (handOffs.length === 0) return;
  const asOf = monotonic();
  for (const handOff of handOffs) {
    const { hold } = handOff;
    const expiresInMs = Math.floor(hold.leaseMs - elapsedMs);
    const isReceived = room.deliver(recordId(key), handOff, { rev: hold.rev, expiresInMs, asOf });
    if (!isReceived && hold.requests.length === 0) withdraw(key, hold.token);
  }
}
