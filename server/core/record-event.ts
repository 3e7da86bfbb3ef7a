import type { CounterEvent } from './counter/counter-event';
import type { LockEvent } from './lock/lock-event';

/** One line of history, of any type of record. */
export type RecordEvent = LockEvent | CounterEvent;
