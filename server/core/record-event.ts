import type { CounterEvent } from './counter/counter-event';
import type { LockEvent } from './lock/lock-event';

/** One event in the history of any type of record. */
export type RecordEvent = LockEvent | CounterEvent;
