import {
  type BackendHealth,
  healthOfKeeper,
  type RecordKeeper,
  type ShardHealth,
} from '../../contract/console/backend-health';
import type { LockListInput } from '../../contract/console/console-inputs';
import type { LockStatus } from '../../contract/console/console-terms';
import type { LockPage, LockRow } from '../../contract/console/lock-row';
import type { HoldersPage, ProcessDetail } from '../../contract/console/waits/holder-rows';
import type { WaitGraph } from '../../contract/console/waits/wait-graph';
import { timesText } from '../../core/format/numbers';
import type { Hold } from '../../core/lock/lock-record';
import { blockedCallers } from '../../core/status/blocking-time';
import { type LivenessVerdict, livenessOf } from '../../core/status/holder-liveness';
import type { Clock } from '../../platform/clock';
import { LockListPages } from '../lock-list/lock-list-pages';
import type { TimeSlice } from '../lock-list/order/time-slice';
import { LockTable } from '../lock-list/table/lock-table';
import {
  type BackendState,
  type NamespaceLookup,
  publicHealths,
  publicId,
  type ShardInfo,
} from '../projection/monitored-backend';
import { type ProjectionRow, toLockRowAt } from '../projection/projection-row';
import { HolderView } from '../waits/holder-view';
import { WaitWatch } from '../waits/wait-watch';
import type { AnswerTurns } from '../watch/answer-turns';
import type { PastBaselines } from './past-baselines';

interface PastFleetOptions {
  /** The instant, on this process's clock. */
  at: number;
  rows: readonly ProjectionRow[];
  backends: readonly BackendState[];
  /** The ids of backends and shards whose state at that instant is unknown. */
  unread: ReadonlySet<string>;
  namespaces: Pick<NamespaceLookup, 'policyOf'>;
  baselines: PastBaselines;
  clock: Clock;
  slice: () => TimeSlice;
  /** Shared by the pages of all instants. */
  turns: Pick<AnswerTurns, 'run'>;
}

/** All locks that were in use at an instant, with the same views as the live ones. */
export class PastFleet {
  private readonly table: LockTable;
  private readonly pages: LockListPages;
  private readonly waits: WaitWatch;
  private readonly holders: HolderView;
  /** Those that are configured. */
  private readonly backends: BackendState[];
  /** Those, and the stores of these locks that no configuration names any more. */
  private readonly stores: BackendState[];

  private constructor(private readonly parts: PastFleetOptions) {
    const { at, namespaces, slice, turns } = parts;
    const baselinesOf = parts.baselines.of;
    const clock: Clock = { now: () => at, monotonic: () => parts.clock.monotonic() };
    const clocks = new Map(parts.rows.map(({ backend, readAt }) => [backend, readAt - at]));
    this.backends = parts.backends.map((backend) => asRecorded(backend, parts, clocks));
    this.stores = [...this.backends, ...formerStores(parts)];
    const backends = this.stores;
    const names = { appeared: () => undefined, vanished: () => undefined };
    const baselines = { of: baselinesOf, complete: (row: LockRow) => row };
    this.table = new LockTable({ backends, clock, baselines, namespaces, names, slice });
    this.pages = new LockListPages(this.table, clock, () => this.healths(), turns);
    const { table } = this;
    const statusOf = (row: ProjectionRow): LockStatus => this.rowOf(row).status;
    const blockedBy = ({ id, key, facts }: ProjectionRow, now: number) =>
      blockedCallers(facts, baselinesOf(id, key), now);
    this.waits = new WaitWatch({ table, backends, clock, statusOf, blockedBy });
    const evidence: ConstructorParameters<typeof HolderView>[0]['evidence'] = {
      hasDeaths: parts.baselines.hasDeaths,
      verdictOn: (id, hold, now) => this.livenessOf(id, hold, now),
    };
    this.holders = new HolderView({
      table,
      backends,
      clock,
      waits: this.waits,
      evidence,
      lockDelayMsOf: (namespace) => namespaces.policyOf(namespace).lockDelayMs,
      statusOf,
    });
  }

  static async of(parts: PastFleetOptions): Promise<PastFleet> {
    const fleet = new PastFleet(parts);
    // The wait graph depends on when locks were read: all of these show one instant.
    for (const { id } of fleet.stores) {
      if (fleet.isKnown(id)) fleet.table.reads.note(id, Number.POSITIVE_INFINITY);
    }
    await parts.slice().forEach(parts.rows, (row) => fleet.table.store(row));
    await fleet.table.refresh();
    fleet.waits.examine();
    return fleet;
  }

  healths(): BackendHealth[] {
    return publicHealths(this.backends);
  }

  /**
   * The health of the store that keeps a record, under the id of its backend; one that is no longer
   * configured counts as known.
   *
   * @param silentForMs of the latter, if its state is not known: for how long nothing was recorded
   */
  healthOf(keeper: RecordKeeper, silentForMs = 0): BackendHealth {
    const id = keeper.backend;
    const health = healthOfKeeper(this.healths(), keeper);
    return health ? { ...health, id } : formerHealth(id, silentForMs);
  }

  page(input: LockListInput): Promise<LockPage> {
    return this.pages.page(input, false);
  }

  async waitGraph(): Promise<WaitGraph> {
    return { ...(await this.waits.read()), backends: this.healths() };
  }

  async holdersPage(search?: string): Promise<HoldersPage> {
    return { ...(await this.holders.page(search)), backends: this.healths() };
  }

  async process(id: string): Promise<ProcessDetail> {
    return { ...(await this.holders.process(id)), backends: this.healths() };
  }

  find(id: string): ProjectionRow | null {
    return this.table.byId(id);
  }

  rowOf(row: ProjectionRow, isKnown = this.isKnown(row.backend)): LockRow {
    const baselines = this.parts.baselines.of(row.id, row.key);
    return toLockRowAt(row, baselines, row.readAt, isKnown);
  }

  /** Whether the state of a backend or shard at that instant is known. */
  isKnown(backend: string): boolean {
    return !this.parts.unread.has(backend);
  }

  /**
   * Whether the process of a hold was alive, as far as that is recorded: of the reports of
   * witnesses, only deaths are. For a long hold only the latest renewals are counted.
   */
  livenessOf(id: string, hold: Hold, now: number): LivenessVerdict {
    const verdict = livenessOf(hold, this.parts.baselines.reportsOn(id, hold), now);
    if (verdict.kind !== 'renewals' || !hold.areRenewalsPartial) return verdict;
    return { ...verdict, evidence: `renewed at least ${timesText(hold.renewals)}` };
  }

  waitPartOf(id: string) {
    return this.waits.partOf(id);
  }
}

/**
 * A backend whose recorded state counts as known, whether or not it responds now.
 *
 * @param clocks by id: how far the backends' clocks were ahead when the rows were read, in ms
 */
function asRecorded(
  { id, engine, shard }: BackendState,
  { backends, unread }: Pick<PastFleetOptions, 'backends' | 'unread'>,
  clocks: ReadonlyMap<string, number>,
): BackendState {
  const asOfThen = <H extends ShardHealth | BackendHealth>(health: H, isKnown: boolean): H =>
    isKnown ? { ...health, reachable: true, silentForMs: 0 } : health;
  const ofStore = <H extends ShardHealth | BackendHealth>(health: H, store: string): H => {
    const clockOffsetMs = clocks.get(store) ?? health.clockOffsetMs;
    return { ...asOfThen(health, !unread.has(store)), clockOffsetMs };
  };
  const ofShards = ({ shards = [] }: BackendHealth) => shards.map((one) => ofStore(one, one.id));
  const isWhole = ({ backend }: Pick<ShardInfo, 'backend'>) =>
    backends.every((one) => publicId(one) !== backend || !unread.has(one.id));
  return {
    id,
    engine: { health: () => ofStore(engine.health(), id) },
    ...(shard && {
      shard: {
        backend: shard.backend,
        health: () => {
          const health = shard.health();
          return { ...asOfThen(health, isWhole(shard)), shards: ofShards(health) };
        },
      },
    }),
  };
}

/** The stores that are no longer configured: what happened there is known from its record. */
function formerStores({ rows, backends }: Pick<PastFleetOptions, 'rows' | 'backends'>) {
  const configured = new Set(backends.map(({ id }) => id));
  const former = new Set(rows.map(({ backend }) => backend).filter((id) => !configured.has(id)));
  return Array.from(
    former,
    (id): BackendState => ({
      id,
      engine: { health: () => formerHealth(id) },
    }),
  );
}

/** The offset of a clock that is not known counts as none. */
function formerHealth(id: string, silentForMs = 0): BackendHealth {
  const reachable = silentForMs === 0;
  return { id, kind: '', reachable, latencyMs: null, silentForMs, clockOffsetMs: 0 };
}
