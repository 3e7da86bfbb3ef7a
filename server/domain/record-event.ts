import type { CounterEvent } from './counter-event';
import type { LockEvent } from './lock-event';

/** One line of history, of whatever kind of record. */
export type RecordEvent = LockEvent | CounterEvent;
