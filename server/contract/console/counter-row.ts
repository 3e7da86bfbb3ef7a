import type { CounterEventKind } from '../../core/counter/counter-event';
import type { CounterMove } from '../../core/counter/counter-record';
import type { Bounds } from '../counter-bounds';
import type { BackendHealth } from './backend-health';

/** One line of the counter list. Instants are the backend's clock. */
export interface CounterRow extends Bounds {
  /** Stable and unique over all backends. */
  id: string;
  namespace: string;
  name: string;
  backend: string;
  rev: number;
  /** Null: the record exists but cannot be read. */
  value: number | null;
  createdAt: number;
  lastMove: CounterMove | null;
  /** When this row was read from its backend, on the backend's clock. */
  readAt: number;
  /** False: the backend does not respond, so the value may have changed. */
  isKnown: boolean;
}

/** The counter list: filtered, sorted by name. */
export interface CounterPage {
  rows: CounterRow[];
  /** How many counters match the filter; `rows` holds the first of them. */
  matching: number;
  total: number;
  backends: BackendHealth[];
  /** This server's clock when the page was made, epoch milliseconds. */
  asOf: number;
}

/** A counter as its own page shows it. */
export interface CounterDetail {
  row: CounterRow;
  backend: BackendHealth;
  asOf: number;
}

/** One line of a counter's history. */
export interface CounterMoveRow {
  /** Sorts as text within one counter, newest last; the cursor of paging. */
  id: string;
  at: number;
  rev: number;
  kind: CounterEventKind;
  service: string;
  value: number;
  delta: number | null;
  /** Null if the event set no bounds; a bound inside is null if the counter has none. */
  bounds: Bounds | null;
  by: string | null;
  reason: string | null;
}
