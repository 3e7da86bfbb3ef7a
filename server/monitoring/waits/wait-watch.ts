import type { LockStatus } from '../../contract/console/console-terms';
import type {
  DeadlockedLock,
  DeadlockRow,
  HolderWait,
  LockWaitPart,
  WaitGraph,
} from '../../contract/console/waits/wait-graph';
import { type BlockedCallers, totalBlockingMs } from '../../core/status/blocking-time';
import {
  type DeadlockEnd,
  DeadlockTracker,
  type EndedDeadlock,
  type TrackedDeadlock,
} from '../../core/waits/deadlock-tracker';
import { type Deadlock, findDeadlocks } from '../../core/waits/find-deadlocks';
import type { Blocking } from '../../core/waits/head-blockers';
import { linkedLocks } from '../../core/waits/linked-locks';
import {
  addLock,
  type ContendedLock,
  isConcurrent,
  type LockWaits,
  noWaits,
  type OpenWait,
  readWaits,
  type WaitState,
} from '../../core/waits/wait-state';
import type { Clock } from '../../platform/clock';
import type { LockTable } from '../lock-list/table/lock-table';
import { type BackendState, publicHealths } from '../projection/monitored-backend';
import type { ProjectionRow } from '../projection/projection-row';
import { buildWaitGraph } from './build-wait-graph';
import { shortId } from './short-id';

/** How often waits are examined while that takes little time. */
const EXAMINE_EVERY_MS = 500;
/** The longest pause between two examinations, however long they take. */
const PAUSE_MAX_MS = 1_250;
/** The share of the process's time that examining waits may take. */
const SHARE = 0.04;
/** Without clocks of backends no lease counts as expired, and only locks with waiters are found. */
const NO_INSTANTS: ReadonlyMap<string, number> = new Map();
/** How many waits of the holders of one lock are shown. */
const HOLDER_WAITS_MAX = 3;

export interface WaitWatchOptions {
  table: Pick<LockTable, 'dueForExpiry' | 'byId' | 'reads' | 'slice'>;
  /** The status of a lock now. */
  statusOf: (row: ProjectionRow) => LockStatus;
  /** The callers that a lock keeps from work at an instant of its backend's clock. */
  blockedBy: (row: ProjectionRow, now: number) => BlockedCallers;
  backends: readonly BackendState[];
  clock: Clock;
}

/** The deadlocks that an examination found, and those that had ended. */
export interface DeadlockNews {
  found: DeadlockRow[];
  ended: { id: string; endedAt: number; end: DeadlockEnd; by: string | null }[];
}

/**
 * Who waits for whom, over all backends, as this process last read the locks. Each examination goes
 * through the locks with waiters, and links only those that may be part of a deadlock; the others
 * are linked on request, once for all that request it.
 */
export class WaitWatch {
  private readonly tracker = new DeadlockTracker();
  /** Every lock with waiters, as of the last examination. */
  private locks: ContendedLock[] = [];
  /** The locks that may be part of a deadlock, with their holders and waiters. */
  private linked: WaitState = noWaits();
  private whole: Promise<WaitState> | null = null;
  private deadlocks: Deadlock[] = [];
  private graph: Promise<WaitGraph> | null = null;
  private examinedMs = 0;
  private marked: ReadonlySet<string> = new Set();
  private waitsMarked: ReadonlySet<string> = new Set();

  constructor(private readonly parts: WaitWatchOptions) {}

  /** The pause until the next examination. */
  get pauseMs(): number {
    return Math.min(PAUSE_MAX_MS, Math.max(EXAMINE_EVERY_MS, this.examinedMs / SHARE));
  }

  /** Deadlocks that have not ended. */
  rows(): DeadlockRow[] {
    return this.current.map((one) => this.rowOf(one));
  }

  private get current(): readonly TrackedDeadlock[] {
    return this.tracker.current;
  }

  /** The locks that are waited for in deadlocks, as of the last examination. */
  deadlocked(): DeadlockedLock[] {
    return [...this.marked].flatMap((id) => {
      const key = this.parts.table.byId(id)?.key;
      return key ? [{ namespace: key.namespace, name: key.name }] : [];
    });
  }

  /** Whether a wait is part of a deadlock. */
  isInDeadlock({ lock, waiter }: OpenWait): boolean {
    return this.waitsMarked.has(`${lock.id}#${waiter.ticket}`);
  }

  /** How a lock takes part in waits beyond its own queue; null if it does not. */
  partOf(lockId: string): LockWaitPart | null {
    const lock = this.linked.locks.find(({ id }) => id === lockId);
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
  examine(): DeadlockNews {
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
      // The last reading of a silent backend counts as of when it was made.
      const at = isSilent(row) ? table.reads.of(row) : now + offsetMs;
      return { id: row.id, store: row.backend, record: row.record, now: at, offsetMs };
    });
    this.locks = locks;
    const inCycle = new Set(this.current.flatMap(({ cycle }) => cycle.map(({ lockId }) => lockId)));
    const known = locks.filter(({ id }) => !isSilent(rows.get(id)));
    const linked = new Set([...linkedLocks(known), ...known.filter(({ id }) => inCycle.has(id))]);
    this.linked = readWaits(linked);
    this.deadlocks = findDeadlocks(this.linked);
    const news = this.tracker.follow({
      state: this.linked,
      deadlocks: this.deadlocks,
      now,
      readAt: ({ id, offsetMs }) => table.reads.of(rows.get(id) as ProjectionRow) - offsetMs,
      isSilent: (id) => isSilent(rows.get(id)),
    });
    // Pages show the locks of a silent backend as last read, and so also what they block.
    if (known.length < locks.length) this.deadlocks = findDeadlocks(readWaits(linkedLocks(locks)));
    this.graph = null;
    this.whole = null;
    const cycles = this.current.flatMap(({ cycle }) => cycle);
    this.marked = new Set(cycles.map(({ lockId }) => lockId));
    this.waitsMarked = new Set(cycles.map(({ lockId, ticket }) => `${lockId}#${ticket}`));
    this.examinedMs = clock.monotonic() - startedAt;
    return {
      found: news.found.map((one) => this.rowOf(one)),
      ended: news.ended.map(({ id, endedAt, end, by }: EndedDeadlock) => {
        return { id: shortId(id), endedAt, end, by };
      }),
    };
  }

  /** All holders and waiters as of the last examination; built once for all requests, in slices. */
  state(): Promise<WaitState> {
    const { locks } = this;
    this.whole ??= (async () => {
      const state = noWaits();
      await this.parts.table.slice().forEach(locks, (lock) => addLock(state, lock));
      return state;
    })();
    return this.whole;
  }

  /** The graph as of the last examination; the same object for all that request it. */
  read(): Promise<WaitGraph> {
    const { clock, backends, table } = this.parts;
    const { deadlocks, current } = this;
    this.graph ??= this.state().then((state) =>
      buildWaitGraph({
        state,
        deadlocks,
        tracked: current,
        idOf: shortId,
        rowOf: (id) => table.byId(id),
        statusOf: this.parts.statusOf,
        blockingOf: (lock) => this.blockingOf(lock),
        backends: publicHealths(backends),
        asOf: clock.now(),
      }),
    );
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
    const waiting = this.linked.locks
      .filter((lock) => ids.has(lock.id))
      .reduce((sum, { queue }) => sum + queue.length, 0);
    const open = { endedAt: null, end: null, by: null };
    return { id: shortId(id), since, foundAt, ...open, waiting, steps };
  }

  /** How many callers a lock keeps from work, and how long, as of the last examination. */
  blockingOf({ id, now }: LockWaits): Blocking {
    const row = this.parts.table.byId(id);
    if (!row) return { callers: 0, ms: 0 };
    const blocked = this.parts.blockedBy(row, now);
    return { callers: blocked.callers, ms: totalBlockingMs(blocked, now) };
  }

  /** The ages of all waits, added up, in ms. */
  get blockingMs(): number {
    let sum = 0;
    for (const { record, now } of this.locks) {
      for (const { enqueuedAt } of record.queue) sum += Math.max(0, now - enqueuedAt);
    }
    return sum;
  }
}
