import type { BackendHealth } from '../../contract/console/backend-health';
import { LOCK_STATUSES, type LockStatus } from '../../contract/console/console-terms';
import type {
  DeadlockMark,
  GraphLock,
  GraphOwner,
  GraphWait,
  HeadBlockerRow,
  WaitGraph,
} from '../../contract/console/waits/wait-graph';
import { patienceEndsAt } from '../../core/lock/queue';
import { partyKey } from '../../core/party';
import type { TrackedDeadlock } from '../../core/waits/deadlock-tracker';
import type { Deadlock } from '../../core/waits/find-deadlocks';
import {
  type Blocking,
  type HeadBlocker,
  headBlockers,
  waitedMsOf,
} from '../../core/waits/head-blockers';
import {
  isConcurrent,
  type LockWaits,
  type OpenWait,
  type WaitParty,
  type WaitState,
} from '../../core/waits/wait-state';
import { keeperOf } from '../projection/monitored-backend';
import type { ProjectionRow } from '../projection/projection-row';

/** How many head blockers are shown; deadlocks come first. */
const HEADS_MAX = 20;
const LOCKS_MAX = 120;
/** Per lock: how many holders and waiters are shown; waiters that block others come first. */
const HOLDERS_MAX = 10;
const WAITERS_MAX = 8;

interface GraphSources {
  state: WaitState;
  deadlocks: readonly Deadlock[];
  /** The confirmed deadlocks. */
  tracked: readonly TrackedDeadlock[];
  /** The id that pages show for a tracked deadlock. */
  idOf: (id: string) => string;
  rowOf: (lockId: string) => ProjectionRow | null;
  statusOf: (row: ProjectionRow) => LockStatus;
  blockingOf: (lock: LockWaits) => Blocking;
  backends: BackendHealth[];
  asOf: number;
}

/** The part of the wait-for graph that pages show: its size is limited, however many wait. */
export function buildWaitGraph(from: GraphSources): WaitGraph {
  const { state, tracked, backends, asOf } = from;
  const confirmed = from.deadlocks.filter((deadlock) => trackedOf(deadlock, tracked));
  const { heads, more } = headBlockers(state, confirmed, from.blockingOf, HEADS_MAX);
  const shown = new GraphParts(from, locksOf(heads));
  const rows = heads.map((head) => headRow(head, shown, from));
  return {
    heads: rows,
    moreHeads: more,
    owners: shown.owners,
    locks: shown.locks,
    waiting: state.locks.reduce((sum, { queue }) => sum + queue.length, 0),
    blockingMs: state.locks.reduce((sum, { queue }) => sum + waitedMsOf(queue), 0),
    backends,
    asOf,
  };
}

/** The locks to show: those of the head blockers first, then those further behind. */
function locksOf(heads: readonly HeadBlocker[]): LockWaits[] {
  const own = heads.flatMap(({ locks }) => locks);
  const behind = heads.flatMap((head) => head.behind);
  return [...new Set([...own, ...behind])].slice(0, LOCKS_MAX);
}

/** Owners and locks of the graph, and their positions in it. */
class GraphParts {
  readonly owners: GraphOwner[] = [];
  readonly locks: GraphLock[];
  private readonly places = new Map<WaitParty, number>();
  private readonly lockPlaces: Map<string, number>;

  constructor(
    private readonly from: GraphSources,
    locks: LockWaits[],
  ) {
    const ids = locks.map(({ id }) => id);
    this.lockPlaces = new Map(ids.map((id, place) => [id, place]));
    this.locks = locks.map((lock) => this.lockOf(lock));
  }

  placeOf(party: WaitParty): number {
    const known = this.places.get(party);
    if (known !== undefined) return known;
    const place = this.owners.push(ownerOf(party)) - 1;
    this.places.set(party, place);
    return place;
  }

  placeOfLock(id: string): number {
    return this.lockPlaces.get(id) ?? -1;
  }

  private lockOf(lock: LockWaits): GraphLock {
    const { id, holds, queue } = lock;
    const row = this.from.rowOf(id);
    const { namespace = '', name = '' } = row?.key ?? {};
    return {
      id,
      namespace,
      name,
      ...(row ? keeperOf(row) : { backend: '' }),
      status: statusOf(lock, this.from),
      holders: holds.slice(0, HOLDERS_MAX).map(({ hold, party }) => {
        const { token, mode, permits, grantedAt, expiresAt, traceparent } = hold;
        const owner = this.placeOf(party);
        const optional = {
          ...(permits === undefined ? {} : { permits }),
          ...(traceparent === undefined ? {} : { traceparent }),
        };
        return { owner, token, mode, ...optional, grantedAt, expiresAt };
      }),
      waiters: this.shownOf(queue).map((wait) => this.waitOf(wait)),
      waiting: queue.length,
    };
  }

  private shownOf(queue: readonly OpenWait[]): OpenWait[] {
    const isLink = ({ party }: OpenWait) =>
      party.holds.some(({ lock }) => lock.queue.length > 0 && this.lockPlaces.has(lock.id));
    const links = queue.filter(isLink).slice(0, WAITERS_MAX);
    const others = queue.filter((wait) => !links.includes(wait));
    return [...links, ...others.slice(0, WAITERS_MAX - links.length)];
  }

  private waitOf({ waiter, party }: OpenWait): GraphWait {
    const { ticket, mode, permits, enqueuedAt } = waiter;
    const optional = permits === undefined ? {} : { permits };
    const patienceUntil = patienceEndsAt(waiter);
    return { owner: this.placeOf(party), ticket, mode, ...optional, enqueuedAt, patienceUntil };
  }
}

function statusOf({ id }: LockWaits, { rowOf, statusOf: of }: GraphSources): LockStatus {
  const row = rowOf(id);
  return row ? of(row) : 'unknown';
}

function ownerOf(party: WaitParty): GraphOwner {
  const { service, owner, holds } = party;
  const { host, pid, version } = holds[0]?.hold.meta ?? {};
  const renewals = holds.flatMap(({ hold, lock }) =>
    hold.renewals > 0 ? [hold.renewedAt - lock.offsetMs] : [],
  );
  return {
    service,
    owner,
    host: host ?? null,
    pid: pid ?? null,
    version: version ?? null,
    renewedAt: renewals.length > 0 ? Math.max(...renewals) : null,
    isConcurrent: isConcurrent(party),
  };
}

function headRow(head: HeadBlocker, shown: GraphParts, from: GraphSources): HeadBlockerRow {
  const { parties, deadlock, locks, behind, blocking } = head;
  const statuses = locks.map((lock) => LOCK_STATUSES.indexOf(statusOf(lock, from)));
  return {
    owners: parties.map((party) => shown.placeOf(party)),
    deadlock: deadlock && deadlockMark(deadlock, shown, from),
    locks: locks.map(({ id }) => shown.placeOfLock(id)).filter((place) => place >= 0),
    waiting: behind.reduce((sum, { queue }) => sum + queue.length, 0),
    blocked: blocking.callers,
    blockingMs: blocking.ms,
    status: LOCK_STATUSES[Math.min(...statuses)] ?? 'unknown',
  };
}

function deadlockMark(
  deadlock: Deadlock,
  shown: GraphParts,
  { tracked, idOf, state }: GraphSources,
): DeadlockMark | null {
  const known = trackedOf(deadlock, tracked);
  if (!known) return null;
  const steps = known.cycle.flatMap((edge) => {
    const party = state.parties.get(partyKey(edge));
    const lock = shown.placeOfLock(edge.lockId);
    return party ? [{ owner: shown.placeOf(party), lock, token: edge.token }] : [];
  });
  return { id: idOf(known.id), since: known.since, foundAt: known.foundAt, steps };
}

function trackedOf({ members }: Deadlock, tracked: readonly TrackedDeadlock[]) {
  const keys = new Set(members.map(({ key }) => key));
  return tracked.find(({ cycle }) => cycle.every((edge) => keys.has(partyKey(edge))));
}
