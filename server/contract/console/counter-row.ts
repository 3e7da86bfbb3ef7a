import type { CounterEventKind } from '../../core/counter/counter-event';
import type { CounterMove } from '../../core/counter/counter-record';
import type { Bounds } from '../counter-bounds';
import type { BackendHealth, RecordKeeper } from './backend-health';
import type { PastMark } from './past/past-mark';

/** One line of the counter list. Instants are the clock of its keeper. */
export interface CounterRow extends Bounds, RecordKeeper {
  /** Stable and unique over all backends. */
  id: string;
  namespace: string;
  name: string;
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

/** The counter list, filtered and sorted by name. */
export interface CounterPage {
  rows: CounterRow[];
  /** How many counters match the filter; `rows` holds the first of them. */
  matching: number;
  total: number;
  backends: BackendHealth[];
  /** This server's clock when the page was made, epoch milliseconds. */
  asOf: number;
  /** Set if it shows the past; then `asOf` is that instant. */
  past?: PastMark;
}

/** A counter as its own page shows it. */
export interface CounterDetail {
  row: CounterRow;
  /** The health of the shard if it has shards, under the backend's id. */
  backend: BackendHealth;
  /** Null: its namespace has no gate. */
  gate: GateRow | null;
  asOf: number;
  past?: PastMark;
}

/**
 * How a counter's value changed over the last hour, from roll-ups up to 15 s old. Instants are the
 * backend's clock.
 */
export interface CounterCourse {
  /** Oldest first, to be joined by straight lines; empty if the value did not change. */
  points: { at: number; value: number }[];
  /** Per minute over the last ten minutes, or since the counter was created. */
  rate: {
    /** How many times the value changed. */
    changes: number;
    /** By how much it rose; negative: it fell. */
    net: number;
  };
}

/** The courses of those counters of a list whose value changed in the last hour, by row id. */
export type CounterCourses = Record<string, CounterCourse>;

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

/**
 * What a gate knows about a counter.
 *
 * - `fresh`: a value by which it can refuse steps.
 * - `empty`: nothing, so it refuses nothing; it learns about a counter when that is used.
 * - `starting`: it was wiped or restarted, and refuses nothing for some seconds.
 * - `down`: it is not responding to this server, or rejects its requests.
 * - `missing`: this server has no gate of that name.
 */
export type GateStatus = 'fresh' | 'empty' | 'starting' | 'down' | 'missing';

/** A counter as its gate knows it. */
export interface GateRow {
  /** The gate's id. */
  id: string;
  status: GateStatus;
  /** Why it rejects requests, while it is `down` for that; absent: it does not. */
  refusal?: string;
  /** The fast value; null unless `fresh`. */
  fast: (Bounds & { rev: number; value: number }) | null;
  /** The lowest and highest possible value, given all steps under way; null unless `fresh`. */
  estimate: { low: number; high: number } | null;
  /** The fast value minus the durable value; null: nothing to compare, or both are changing. */
  drift: number | null;
  /** How long ago MySQL confirmed the fast value, in milliseconds; null unless `fresh`. */
  confirmedMsAgo: number | null;
  /** Milliseconds until it can refuse steps, while `starting`. */
  readyInMs: number;
}

/** A gate as an option in the form of a policy. */
export interface GateOption {
  id: string;
}

/** The result of a reconciliation. */
export interface ReconcileAnswer {
  outcome: 'reconciled';
  /** The gate's value before; null: it had none. */
  fastValue: number | null;
  /** MySQL's value, which is now the gate's. */
  value: number;
  rev: number;
}
