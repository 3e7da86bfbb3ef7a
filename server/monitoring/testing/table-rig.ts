import { setImmediate } from 'node:timers/promises';
import type { BackendHealth } from '../../contract/console/backend-health';
import type { LockListInput } from '../../contract/console/console-inputs';
import { LOCK_STATUSES } from '../../contract/console/console-terms';
import type { LockRow } from '../../contract/console/lock-row';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import {
  type Hold,
  type LockRecord,
  unwrittenRecord,
  type Waiter,
} from '../../core/lock/lock-record';
import type { RefusalCounts } from '../../core/statistics/refusal-counts';
import { totalBlockingMs } from '../../core/status/blocking-time';
import { lockTier, TIERS } from '../../core/status/lock-status';
import type { LockBaselines } from '../../core/status/stuck-reason';
import { NameCount } from '../../engine/names/name-count';
import { LockListPages } from '../lock-list/lock-list-pages';
import { LockListStreams } from '../lock-list/lock-list-streams';
import { TimeSlice } from '../lock-list/order/time-slice';
import { LockTable, type LockTableOptions } from '../lock-list/table/lock-table';
import type { MonitoredBackend } from '../projection/monitored-backend';
import { ProjectionRow, rowId, toLockRowAt } from '../projection/projection-row';
import type { AnswerTurns } from '../watch/answer-turns';

export interface LockSpec {
  namespace?: string | undefined;
  owner?: string | undefined;
  /** The token of its hold; absent: a new one. */
  token?: number | undefined;
  /** How long ago it was granted; null: not held. */
  heldMs?: number | null | undefined;
  leaseLeftMs?: number | undefined;
  /** How long ago a second holder was granted it, whose lease ends a minute later; absent: none. */
  sharedMs?: number | undefined;
  waiters?: number | undefined;
  waitedMs?: number | undefined;
  isFrozen?: boolean | undefined;
  /** How much of its lock delay is left; absent: it has none. */
  delayLeftMs?: number | undefined;
  /** Whether the hold was released and is kept until its `holdAtLeastMs` has passed. */
  isKept?: boolean | undefined;
}

/** Locks of two backends in a table, the lists over it, and a clock that the test moves. */
export class TableRig {
  now = 1_000_000_000;
  /** The clock of every backend minus that of this process. */
  clockOffsetMs = 0;
  /** Whether each read of the clock ends the slice, so that the table pauses as often as it can. */
  isBusy = false;
  private busyMs = 0;
  stuckAfterMs = 0;
  readonly silent = new Set<string>();
  /** Of all backends; absent: they have been read. */
  unreadForMs?: number;
  readonly table: LockTable;
  readonly lists: LockListPages;
  readonly live: LockListStreams;
  /** The rows that the table must contain, by id. */
  readonly truth = new Map<string, ProjectionRow>();
  private rev = 1;
  private readonly refusals = new Map<string, RefusalCounts>();

  /** @param journals notified of every change of a lock */
  constructor(journals?: NonNullable<LockTableOptions['journals']>) {
    const clock = { now: () => this.now, monotonic: () => this.monotonic() };
    const backends = ['default', 'other'].map((id) => ({
      id,
      engine: { health: () => this.health(id) },
    })) as MonitoredBackend[];
    const healths = () => backends.map(({ id }) => this.health(id));
    this.table = new LockTable({
      backends,
      clock,
      baselines: { of: (id) => this.baselines(id), complete: (row) => row },
      namespaces: {
        policyOf: () => ({ ...DEFAULT_POLICY, stuckAfterMs: this.stuckAfterMs }),
      },
      slice: () =>
        new TimeSlice(
          () => this.monotonic(),
          () => this.now,
          () => setImmediate(),
        ),
      names: new NameCount(() => this.now),
      ...(journals && { journals }),
    });
    const turns: Pick<AnswerTurns, 'run'> = { run: async (build) => build(this.table.slice()) };
    this.lists = new LockListPages(this.table, clock, healths, turns);
    this.live = new LockListStreams(this.table, this.lists, clock, 'epoch', { warn: () => {} });
  }

  store(name: string, parts: LockSpec = {}): void {
    const { namespace = 'default' } = parts;
    const backend = namespace === 'away' ? 'other' : 'default';
    const keeper = { id: backend, publicId: backend };
    this.rev += 1;
    const at = this.now + this.clockOffsetMs;
    const record = recordOf(at, this.rev, parts);
    const row = ProjectionRow.of(keeper, { namespace, name }, at, record);
    this.truth.set(row.id, row);
    this.table.store(row);
  }

  remove(name: string, namespace = 'default'): void {
    const backend = namespace === 'away' ? 'other' : 'default';
    const id = rowId(backend, `${namespace}/${name}`);
    this.truth.delete(id);
    this.refusals.delete(id);
    this.table.remove(id);
  }

  /** Refuses one more attempt, of the same owner, on a lock that need not exist. */
  refuse(name: string, namespace = 'default'): void {
    const id = rowId(namespace === 'away' ? 'other' : 'default', `${namespace}/${name}`);
    const at = this.now;
    const { attempts, firstAt } = this.refusals.get(id)?.all ?? { attempts: 0, firstAt: at };
    const all = { attempts: attempts + 1, token: 0, firstAt, lastAt: at };
    const owners = [{ service: 'orders', owner: 'w2', ...all }];
    this.refusals.set(id, { all, owners, others: null });
    this.table.recheck(id);
  }

  /** What a list must show at this instant: all of it, ranked from scratch. */
  expected(input: LockListInput): LockRow[] {
    const sought = input.search?.toLowerCase() ?? '';
    const rows = [...this.truth.values()].map((row) => ({ row, shown: this.shown(row) }));
    const found = rows.filter(
      ({ row, shown }) =>
        (input.status === undefined || shown.status === input.status) &&
        (input.namespace === undefined || shown.namespace === input.namespace) &&
        (input.backend === undefined || shown.backend === input.backend) &&
        row.searchText.includes(sought),
    );
    const sign = input.descending ? -1 : 1;
    const order = ordersAt(this.now)[input.sort];
    const tierOf = (row: ProjectionRow, { status }: LockRow) =>
      TIERS.indexOf(lockTier(status, row.facts, this.baselines(row.id), this.now));
    return found
      .sort((a, b) => {
        const tiers = input.sort === 'worst' ? tierOf(a.row, a.shown) - tierOf(b.row, b.shown) : 0;
        return (
          sign * (tiers || order(a.shown, b.shown)) ||
          byHeld(a.shown, b.shown) ||
          byName(a.shown, b.shown)
        );
      })
      .map(({ shown }) => shown);
  }

  private monotonic(): number {
    if (this.isBusy) this.busyMs += 5;
    return this.now + this.busyMs;
  }

  private shown(row: ProjectionRow): LockRow {
    return toLockRowAt(row, this.baselines(row.id), this.now, !this.silent.has(row.backend));
  }

  private baselines(id: string): LockBaselines {
    const policy = { ...DEFAULT_POLICY, stuckAfterMs: this.stuckAfterMs };
    return { ownHold: null, gaveUp: null, refusals: this.refusals.get(id) ?? null, policy };
  }

  private health(id: string): BackendHealth {
    const reachable = !this.silent.has(id);
    const { clockOffsetMs, unreadForMs } = this;
    const health = { id, kind: 'sqlite', reachable, latencyMs: 1, silentForMs: 0, clockOffsetMs };
    return unreadForMs === undefined ? health : { ...health, unreadForMs };
  }
}

type Order = (a: LockRow, b: LockRow) => number;

const NEVER = Number.POSITIVE_INFINITY;
const compare = <T extends string | number>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);
const byName: Order = (a, b) => compare(a.name, b.name) || compare(a.namespace, b.namespace);
const byHeld: Order = (a, b) => compare(a.hold?.grantedAt ?? NEVER, b.hold?.grantedAt ?? NEVER);

/** Within a tier: the longest total blocking time first, then by status. */
function byUrgency(now: number): Order {
  const rank = ({ blocked, status }: LockRow) =>
    -(blocked ? totalBlockingMs(blocked, now) : 0) || LOCK_STATUSES.indexOf(status);
  return (a, b) => rank(a) - rank(b);
}

const ordersAt = (now: number): Record<LockListInput['sort'], Order> => ({
  worst: byUrgency(now),
  name: byName,
  held: byHeld,
  lease: (a, b) => compare(a.hold?.expiresAt ?? NEVER, b.hold?.expiresAt ?? NEVER),
  waiters: (a, b) => b.waiters - a.waiters,
});

function recordOf(now: number, rev: number, parts: LockSpec): LockRecord {
  const { owner = 'w1', heldMs = 1_000, leaseLeftMs = 60_000 } = parts;
  const { waiters = 0, waitedMs = 500, isFrozen = false, isKept = false, sharedMs } = parts;
  const { delayLeftMs } = parts;
  const at = now - (heldMs ?? 0);
  const expiresAt = now + leaseLeftMs;
  const hold: Hold = {
    token: parts.token ?? rev,
    mode: 'exclusive',
    service: 'orders',
    owner,
    count: 1,
    leaseMs: leaseLeftMs,
    grantedAt: at,
    renewedAt: at,
    renewals: 0,
    expiresAt,
    waitedMs: 0,
    rev,
    meta: {},
    requests: [],
    requestsKeptUntil: 0,
    askedToRelease: null,
    renewalsStopped: null,
    ...(isKept && { keptUntil: expiresAt, releasedAt: now }),
  };
  const queue = Array.from(
    { length: waiters },
    (_, i): Waiter => ({
      ticket: i + 1,
      mode: 'exclusive',
      service: 'orders',
      owner: `waiter-${i}`,
      tag: '',
      process: 'p',
      enqueuedAt: now - waitedMs + i,
      patienceMs: 600_000,
      detachedUntil: null,
    }),
  );
  const frozen = isFrozen ? { by: 'vera', reason: 'repair', at: now } : null;
  const second = { ...hold, owner: 'w2', expiresAt: expiresAt + 60_000, token: hold.token + 1 };
  const others = sharedMs === undefined ? [] : [{ ...second, grantedAt: now - sharedMs }];
  const holds = heldMs === null ? [] : [hold, ...others];
  const delayedUntil = delayLeftMs === undefined ? 0 : now + delayLeftMs;
  return { ...unwrittenRecord(now), rev, holds, queue, frozen, delayedUntil };
}
