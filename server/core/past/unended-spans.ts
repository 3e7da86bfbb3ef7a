import type { Remark } from '../../contract/primitives';
import { HOLD_ENDS, type LockEvent } from '../lock/lock-event';
import type { PastHold } from './event-span';

/** What events have begun and not ended: how long it lasted is not known from them. */
export interface UnendedSpans {
  holds: PastHold[];
  /** The freeze. */
  frozen: Remark | null;
}

/**
 * The holds and the freeze that the events of a lock leave open.
 *
 * @param events its latest, oldest first; a hold whose grant is not among them counts from its
 *   first event
 */
export function unendedSpans(events: readonly LockEvent[]): UnendedSpans {
  const holds = new Map<number, PastHold>();
  let frozen: Remark | null = null;
  for (const { kind, at, service, owner, token, permits, by = '', reason = '' } of events) {
    if (kind === 'frozen') frozen = { by, reason, at };
    if (kind === 'unfrozen') frozen = null;
    if (token === undefined) continue;
    if (HOLD_ENDS.has(kind)) holds.delete(token);
    else if (!holds.has(token)) {
      const permitsField = permits === undefined ? {} : { permits };
      holds.set(token, { from: at, to: null, service, owner, token, ...permitsField });
    }
  }
  return { holds: [...holds.values()], frozen };
}
