/** The kinds of events in a counter's history. */
export type CounterEventKind = 'created' | 'added' | 'adjusted' | 'rebound';

/** One event in a counter's history, with its own rev. `at`: the backend's clock as decided. */
export interface CounterEvent {
  kind: CounterEventKind;
  at: number;
  rev: number;
  /** The service that changed the counter; empty for a person. */
  service: string;
  /** The value as this event left it. */
  value: number;
  /** By how much the value moved: `added` and `adjusted`. */
  delta?: number;
  /** The bounds from now on: `created` and `rebound`. */
  floor?: number | null;
  ceiling?: number | null;
  /** The person who changed the counter, and the reason. */
  by?: string;
  reason?: string;
}
