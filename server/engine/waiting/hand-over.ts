import type { HandOff } from '../../core/decision';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { WaitingRoom } from './waiting-room';

export interface HandOverTools {
  room: WaitingRoom;
  monotonic: () => number;
  /** Gives back a grant that nobody was there to receive. */
  withdraw: (key: RecordKey, token: number) => void;
}

/**
 * Tells waiting callers of the grants that were written for them, before anybody else is answered: whoever was granted
 * must not be told of an earlier state.
 *
 * @param elapsedMs what may have run off their leases since these began
 */
export function handOver(
  { room, withdraw, monotonic }: HandOverTools,
  key: RecordKey,
  handOffs: HandOff[],
  elapsedMs: number,
): void {
  if (handOffs.length === 0) return;
  const asOf = monotonic();
  for (const handOff of handOffs) {
    const { hold } = handOff;
    const expiresInMs = Math.floor(hold.leaseMs - elapsedMs);
    const isHeard = room.deliver(recordId(key), handOff, { rev: hold.rev, expiresInMs, asOf });
    if (!isHeard && hold.requests.length === 0) withdraw(key, hold.token);
  }
}
