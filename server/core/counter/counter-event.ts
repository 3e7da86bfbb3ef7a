/** What can happen to a counter, one line of history each. */
const COUNTER_EVENT_KINDS = ['created', 'added', 'adjusted', 'rebound'] as const;

export type CounterEventKind = (typeof COUNTER_EVENT_KINDS)[number];

/** One line of a counter's history, with a rev of its own. `at`: the clock of the decision. */
export interface CounterEvent {
  kind: CounterEventKind;
  at: number;
  rev: number;
  /** The service that did it; empty for a person. */
  service: string;
  /** The value as this event left it. */
  value: number;
  /** By how much the value moved: `added` and `adjusted`. */
  delta?: number;
  /** The bounds from here on: `created` and `rebound`. */
  floor?: number | null;
  ceiling?: number | null;
  /** The person who did it, and why. */
  by?: string;
  reason?: string;
}
