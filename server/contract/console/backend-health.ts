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
  /**
   * Present until all of it has been read since this process started, which a large store takes
   * minutes for: how long that has taken so far, in whole seconds, in ms.
   */
  unreadForMs?: number;
  /** The backend's clock minus this process's, in ms. With shards: that of the one furthest off. */
  clockOffsetMs: number;
  /**
   * The true offset is from `clockOffsetMs` to this much greater, in ms. Absent until the clock is
   * read, also after it was set forward.
   */
  clockSpreadMs?: number;
  /** The last data loss detected on it; null or absent if there was none. */
  loss?: BackendLossRow | null;
  /**
   * Why it refuses to serve, even if it responds; null or absent if it serves or is down. With
   * shards: why all of it is disabled on this server; each shard has its own.
   */
  refusal?: string | null;
  /**
   * The databases of a sharded backend, by name. Empty on the page of one record, whose health is
   * that of its own shard, while all of the backend is disabled on this server.
   */
  shards?: ShardHealth[];
}

/** The health of one shard. History is stored under its id; the console shows its name. */
export interface ShardHealth extends Omit<BackendHealth, 'shards'> {
  /** `host:port/database`. */
  name: string;
}

/** How a store fails to serve. */
export type Outage = 'not responding' | 'rejecting requests' | 'disabled on this server';

/**
 * How a backend or a shard fails to serve, the worst first; empty if it serves. Of a backend with
 * shards, some may not respond while others reject requests.
 */
export function outagesOf({
  reachable,
  refusal,
  shards,
}: Pick<BackendHealth, 'reachable' | 'refusal' | 'shards'>): Outage[] {
  if (reachable) return [];
  if (shards && refusal) return ['disabled on this server'];
  const out = shards?.filter((shard) => !shard.reachable) ?? [{ refusal }];
  const rejecting = out.filter((store) => store.refusal);
  if (rejecting.length === 0) return ['not responding'];
  const isEach = rejecting.length === out.length;
  return isEach ? ['rejecting requests'] : ['not responding', 'rejecting requests'];
}

/** How a store that may respond refuses to serve. */
export type Refusing = Exclude<Outage, 'not responding'>;

/** How and why a store refuses to serve, even if it responds. */
export interface StoreRefusal {
  outage: Refusing;
  reason: string;
}

/** What such a store does, as the rest of a sentence about it. */
export const REFUSING_CLAUSES = {
  'rejecting requests': 'rejects requests',
  'disabled on this server': 'is disabled on this server',
} as const satisfies Record<Refusing, string>;

/** What a backend or a shard does that has a `refusal` of its own, as the rest of a sentence. */
export const refusingClause = ({ shards }: Pick<BackendHealth, 'shards'>): string =>
  REFUSING_CLAUSES[shards ? 'disabled on this server' : 'rejecting requests'];

/** Why all of a backend, or a shard of it, rejects requests. */
interface Refusal {
  /** The shard's name; null: it is about all of the backend. */
  shard: string | null;
  reason: string;
}

/** Why a backend or shards of it reject requests; empty if none does. */
export function refusalsOf({
  reachable,
  refusal,
  shards = [],
}: Pick<BackendHealth, 'reachable' | 'refusal' | 'shards'>): Refusal[] {
  if (reachable) return [];
  const ofShards = shards.flatMap((shard) =>
    refusalsOf(shard).map(({ reason }) => ({ shard: shard.name, reason })),
  );
  return refusal ? [{ shard: null, reason: refusal }, ...ofShards] : ofShards;
}

/** The same as sentences, such as `On db2:3306/orders: It is read-only.`; empty if none does. */
export const refusalText = (health: Parameters<typeof refusalsOf>[0]): string =>
  refusalsOf(health)
    .map(({ shard, reason }) => (shard === null ? reason : `On ${shard}: ${reason}`))
    .join(' ');

/**
 * How each of these backends fails to serve, such as `orders, jobs not responding`. One that is not
 * listed, or that serves again and is being read, counts as not responding.
 */
export function outageText(ids: readonly string[], backends: readonly BackendHealth[]): string {
  const byOutage = new Map<string, string[]>();
  for (const id of ids) {
    const health = backends.find((one) => one.id === id);
    const outage = (health && outagesOf(health).join(' or ')) || 'not responding';
    byOutage.set(outage, [...(byOutage.get(outage) ?? []), id]);
  }
  return Array.from(byOutage, ([outage, those]) => `${those.join(', ')} ${outage}`).join('; ');
}

/** Where a record is stored. Its instants are the clock of that store. */
export interface RecordKeeper {
  /** The backend's id. */
  backend: string;
  /** The id of its shard that has the record; absent: the backend has no shards. */
  shard?: string;
}

/**
 * The health of the store that keeps a record; undefined if the backend is not listed. A health
 * that lists no shards counts for all of its backend, as on the page of one record: there it is
 * that of the record's own store.
 */
export function healthOfKeeper(
  backends: readonly BackendHealth[],
  { backend, shard }: RecordKeeper,
): BackendHealth | ShardHealth | undefined {
  const health = backends.find(({ id }) => id === backend);
  return health?.shards?.find(({ id }) => id === shard) ?? health;
}

/** Its clock minus that of the process that lists the backends, in ms; 0 if it is not listed. */
export const clockOffsetOfKeeper = (
  backends: readonly BackendHealth[],
  keeper: RecordKeeper,
): number => healthOfKeeper(backends, keeper)?.clockOffsetMs ?? 0;

/**
 * How a store's data loss was detected.
 *
 * - `empty`: the marker that Lockyard writes to it is gone.
 * - `stranger`: it has the marker of another store incarnation, or has records although none of its
 *   incarnations is known.
 * - `older`: its heartbeat is older than the one in the control database, as after an old copy was
 *   restored.
 * - `restarted`: it restarted without having flushed everything, so its last writes may be lost.
 * - `replaced`: the server has taken over the data of another one.
 * - `evicted`: it has evicted keys to make room.
 * - `records`: its index of records and the records do not agree.
 * - `clock`: its clock was set back to before its last data loss. Nothing more was lost, but the
 *   pause of that loss would last too long.
 */
export type LossKind =
  | 'empty'
  | 'stranger'
  | 'older'
  | 'restarted'
  | 'replaced'
  | 'evicted'
  | 'records'
  | 'clock';

/** The last data loss detected on a backend. Instants are the backend's clock. */
export interface BackendLoss {
  at: number;
  what: LossKind;
  /** No lock is granted before this instant: until then a caller can still hold a lost lock. */
  grantsFrom: number;
}

/** A data loss for the console: how long ago it was, and how much longer grants are paused. */
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

/** What happened in a data loss, as the console shows it. */
export const LOSS_LABELS: Record<LossKind, string> = {
  empty: 'The store was empty.',
  stranger: 'The store has the records of another installation, or of an earlier one.',
  older: 'An older copy of its data was restored.',
  restarted: 'The store restarted; its last writes may be lost.',
  replaced: 'It took over the data of another server.',
  evicted: 'The store evicted keys because its memory was full.',
  records: 'Some of its records were deleted by another program.',
  clock: 'Its clock was set back to before an earlier loss.',
};

/**
 * How fast one backend responded over the last hour, as measured by the process that answers. It is
 * not stored, so it begins when that process starts.
 */
export interface BackendCourse {
  /** The backend's id. */
  backend: string;
  /** Oldest first, one for each step of `COURSE_STEP_MS` in which the process ran. */
  points: LatencyPoint[];
}

/** One step of a course. */
export interface LatencyPoint {
  /** When the step began, by the server's clock, epoch ms. */
  at: number;
  /** The slowest response in the step, in ms; null: the backend never responded. */
  latencyMs: number | null;
  /** Whether the backend failed to respond, or rejected requests, at any time in the step. */
  wasSilent: boolean;
}

/** The courses of all backends. */
export interface BackendCourses {
  courses: BackendCourse[];
  /** The server's clock when they were read, epoch ms. */
  asOf: number;
}

/** The length of one step, and the time that a course covers. */
export const COURSE_STEP_MS = 30_000;
export const COURSE_SPAN_MS = 60 * 60_000;
