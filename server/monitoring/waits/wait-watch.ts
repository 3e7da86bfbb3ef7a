import type { LockStatus } from '../../contract/console/console-terms';
import type {
  DeadlockRow,
  HolderWait,
  LockWaitPart,
  WaitGraph,
} from '../../contract/console/waits/wait-graph';
import {
  type DeadlockEnd,
  DeadlockTracker,
  type EndedDeadlock,
  type TrackedDeadlock,
} from '../../core/waits/deadlock-tracker';
import { type Deadlock, findDeadlocks } from '../../core/waits/find-deadlocks';
import { waitedMsOf } from '../../core/waits/head-blockers';
import {
  type ContendedLock,
  isConcurrent,
  type LockWaits,
  type OpenWait,
  readWaits,
  type WaitState,
} from '../../core/waits/wait-state';
import type { Clock } from '../../platform/clock';
import type { LockTable } from '../lock-list/table/lock-table';
import { type MonitoredBackend, publicHealths } from '../projection/monitored-backend';
import type { ProjectionRow } from '../projection/projection-row';
import { buildWaitGraph } from './build-wait-graph';
import { shortId } from './short-id';

/** How often waits are looked at, if that takes next to nothing. */
const LOOK_EVERY_MS = 500;
/** The longest pause between two looks, however long they take. */
const LOOK_MAX_MS = 1_250;
/** Looking may take this share of the process's time. */
const SHARE = 0.04;
/** By none of them has a lease run out, which leaves the locks with waiters. */
const NO_INSTANTS: ReadonlyMap<string, number> = new Map();
/** Of the holders of one lock. */
const HOLDER_WAITS_MAX = 3;

export interface WaitWatchOptions {
  table: Pick<LockTable, 'dueForExpiry' | 'byId' | 'readAt'>;
  /** The status of a lock now. */
  statusOf: (row: ProjectionRow) => LockStatus;
  backends: readonly MonitoredBackend[];
  clock: Clock;
}

/** What a look has found out. */
export interface DeadlockNews {
  found: DeadlockRow[];
  ended: { id: string; endedAt: number; end: DeadlockEnd; by: string | null }[];
}

/**
 * Who waits for whom, over all backends, as this process last read the locks: read once for all who
 * ask. It looks only at locks with waiters.
 */
export class WaitWatch {
  private readonly tracker = new DeadlockTracker();
  /** Who holds and waits, as of the last look. */
  state: WaitState = readWaits([]);
  private locks: ReadonlyMap<string, LockWaits> = new Map();
  private deadlocks: Deadlock[] = [];
  private graph: WaitGraph | null = null;
  private lookMs = 0;
  private marked: ReadonlySet<string> = new Set();
  private waitsMarked: ReadonlySet<string> = new Set();

  constructor(private readonly parts: WaitWatchOptions) {}

  /** The pause until the next look. */
  get pauseMs(): number {
    return Math.min(LOOK_MAX_MS, Math.max(LOOK_EVERY_MS, this.lookMs / SHARE));
  }

  /** Deadlocks that have not ended. */
  rows(): DeadlockRow[] {
    return this.current.map((one) => this.rowOf(one));
  }

  private get current(): readonly TrackedDeadlock[] {
    return this.tracker.current;
  }

  /** Whether a wait is part of a deadlock. */
  isInDeadlock({ lock, waiter }: OpenWait): boolean {
    return this.waitsMarked.has(`${lock.id}#${waiter.ticket}`);
  }

  /** How a lock takes part beyond its own queue; null for one without waiters. */
  partOf(lockId: string): LockWaitPart | null {
    const lock = this.locks.get(lockId);
    if (!lock || lock.queue.length === 0) return null;
    const waits = lock.holds.flatMap(({ party }) => party.waits).slice(0, HOLDER_WAITS_MAX);
    const holderWaits = waits.flatMap(({ party, lock: waited }): HolderWait[] => {
      const key = this.parts.table.byId(waited.id)?.key;
      const heldBy = waited.holds[0]?.party.owner ?? null;
      const { owner } = party;
      const more = { heldBy, isConcurrent: isConcurrent(party) };
      return key ? [{ owner, namespace: key.namespace, name: key.name, ...more }] : [];
    });
    return { inDeadlock: this.marked.has(lockId), holderWaits };
  }

  /** Reads who waits for whom, and follows the deadlocks. */
  look(): DeadlockNews {
    const { clock, table, backends } = this.parts;
    const startedAt = clock.monotonic();
    const health = new Map(backends.map(({ id, engine }) => [id, engine.health()]));
    const rows = new Map<string, ProjectionRow>();
    for (const { row } of table.dueForExpiry(NO_INSTANTS)) rows.set(row.id, row);
    for (const { lockId } of this.current.flatMap(({ cycle }) => cycle)) {
      const row = table.byId(lockId);
      if (row) rows.set(lockId, row);
    }
    const now = clock.now();
    const offsetOf = ({ backend }: ProjectionRow) => health.get(backend)?.clockOffsetMs ?? 0;
    const isSilent = (row: ProjectionRow | undefined) =>
      row !== undefined && health.get(row.backend)?.reachable !== true;
    const locks = Array.from(rows.values(), (row): ContendedLock => {
      const offsetMs = offsetOf(row);
      // What a silent backend said last counts as of then.
      const at = isSilent(row) ? table.readAt(row) : now + offsetMs;
      return { id: row.id, store: row.backend, record: row.record, now: at, offsetMs };
    });
    this.state = readWaits(locks);
    this.locks = new Map(this.state.locks.map((lock) => [lock.id, lock]));
    const known = this.state.locks.filter(({ id }) => !isSilent(rows.get(id)));
    const knownState = known.length === locks.length ? this.state : readWaits(known);
    this.deadlocks = findDeadlocks(knownState);
    const news = this.tracker.follow({
      state: knownState,
      deadlocks: this.deadlocks,
      now,
      readAt: ({ id, offsetMs }) => table.readAt(rows.get(id) as ProjectionRow) - offsetMs,
      isSilent: (id) => isSilent(rows.get(id)),
    });
    this.graph = null;
    const cycles = this.current.flatMap(({ cycle }) => cycle);
    this.marked = new Set(cycles.map(({ lockId }) => lockId));
    this.waitsMarked = new Set(cycles.map(({ lockId, ticket }) => `${lockId}#${ticket}`));
    this.lookMs = clock.monotonic() - startedAt;
    return {
      found: news.found.map((one) => this.rowOf(one)),
      ended: news.ended.map(({ id, endedAt, end, by }: EndedDeadlock) => {
        return { id: shortId(id), endedAt, end, by };
      }),
    };
  }

  /** The graph as of the last look; the same object for all who ask. */
  read(): WaitGraph {
    const { clock, backends, table } = this.parts;
    this.graph ??= buildWaitGraph({
      state: this.state,
      deadlocks: this.deadlocks,
      tracked: this.current,
      idOf: shortId,
      rowOf: (id) => table.byId(id),
      statusOf: this.parts.statusOf,
      backends: publicHealths(backends),
      asOf: clock.now(),
    });
    return this.graph;
  }

  private rowOf(one: TrackedDeadlock): DeadlockRow {
    const { id, since, foundAt, cycle } = one;
    const steps = cycle.flatMap(({ lockId, service, owner }) => {
      const row = this.parts.table.byId(lockId);
      if (!row) return [];
      const { namespace, name } = row.key;
      return { service, owner, namespace, name, backend: row.publicBackend };
    });
    const ids = new Set(cycle.map(({ lockId }) => lockId));
    const waiting = this.state.locks
      .filter((lock) => ids.has(lock.id))
      .reduce((sum, { queue }) => sum + queue.length, 0);
    const open = { endedAt: null, end: null, by: null };
    return { id: shortId(id), since, foundAt, ...open, waiting, steps };
  }

  /** How long everyone together has waited, in ms. */
  get blockingMs(): number {
    return this.state.locks.reduce((sum, { queue }) => sum + waitedMsOf(queue), 0);
  }
}
