/** The health of a backend as last seen by this process. */
export interface BackendHealth {
  id: string;
  /** The scheme of its URL, such as `mysql`. */
  kind: string;
  reachable: boolean;
  /** The last round trip, in milliseconds; null before the first. */
  latencyMs: number | null;
  /** Milliseconds since its last successful response. */
  silentForMs: number;
  /** The backend's clock minus this process's, in ms; add it to the latter to get the former. */
  clockOffsetMs: number;
  /** The offset is the least possible one; the true one may be greater by up to this, in ms. */
  clockSpreadMs?: number;
  /** The last data loss detected on it; null or absent if there was none. */
  loss?: BackendLossRow | null;
  /** Why it refuses to serve although it may respond; null or absent if it serves or is down. */
  refusal?: string | null;
  /** If it is sharded: each of its databases, by name. */
  shards?: ShardHealth[];
}

/** The health of one shard. History is stored under its id; the console shows its name. */
export interface ShardHealth extends Omit<BackendHealth, 'shards' | 'refusal'> {
  /** `host:port/database`. */
  name: string;
}

/**
 * How a store's data loss was detected.
 *
 * - `empty`: the marker that Lockyard writes there is gone.
 * - `stranger`: it has the marker of another store incarnation, or has records although no
 *   incarnation of it is known.
 * - `older`: its heartbeat is older than the one in the control database, as after an old copy was
 *   restored.
 * - `restarted`: it restarted without having flushed everything, so its last writes may be lost.
 * - `replaced`: the same server has since taken over the data of another one.
 * - `evicted`: it has evicted keys to make room.
 * - `records`: its index of records and the records do not agree.
 */
export type LossKind =
  | 'empty'
  | 'stranger'
  | 'older'
  | 'restarted'
  | 'replaced'
  | 'evicted'
  | 'records';

/** The last data loss detected on a backend. Instants are the backend's clock. */
export interface BackendLoss {
  at: number;
  what: LossKind;
  /** No lock is granted before this instant: until then a caller may still hold a lost lock. */
  grantsFrom: number;
}

/** The same for the console: how long ago it was, and for how much longer grants are paused. */
export interface BackendLossRow {
  at: number;
  what: LossKind;
  agoMs: number;
  quietForMs: number;
}

/** @param now the backend's clock */
export function backendLossRow({ at, what, grantsFrom }: BackendLoss, now: number): BackendLossRow {
  return { at, what, agoMs: Math.max(0, now - at), quietForMs: Math.max(0, grantsFrom - now) };
}

/** What happened, as the console shows it. */
export const LOSS_LABELS: Record<LossKind, string> = {
  empty: 'The store was empty.',
  stranger: 'The store has the records of another installation, or of an earlier one.',
  older: 'An older copy of its data was restored.',
  restarted: 'The store restarted; its last writes may be lost.',
  replaced: 'It took over the data of another server.',
  evicted: 'The store evicted keys because its memory was full.',
  records: 'Some of its records were deleted by another program.',
};

/**
 * How fast one backend responded over the last hour, as the process that answers saw it: nothing of
 * it is stored, so it begins when that process starts.
 */
export interface BackendCourse {
  /** The backend's id. */
  backend: string;
  /** Oldest first, one a step of `COURSE_STEP_MS`; none where the process did not run. */
  points: LatencyPoint[];
}

/** One step of the course. */
export interface LatencyPoint {
  /** When the step began, by the server's clock, epoch ms. */
  at: number;
  /** The slowest response in it, in ms; null: the backend did not respond throughout. */
  latencyMs: number | null;
  /** Whether the backend failed to respond at any time in it. */
  wasSilent: boolean;
}

/** The courses of all backends. */
export interface BackendCourses {
  courses: BackendCourse[];
  /** The server's clock when they were read, epoch ms. */
  asOf: number;
}

/** How long one step is, and how much time a course covers. */
export const COURSE_STEP_MS = 30_000;
export const COURSE_SPAN_MS = 60 * 60_000;
