import { createEngine } from '@/server/engine/create-engine';
import type { LockEngine, StoreEngine } from '@/server/engine/lock-engine';
import { OWN_NAMESPACE } from '@/server/engine/membership';
import { ShardedEngine } from '@/server/engine/sharded-engine';
import { HistoryTail } from '@/server/monitoring/history/history-tail';
import type { MonitoredBackend } from '@/server/monitoring/projection/monitored-backend';
import type { Clock } from '@/server/platform/clock';
import type { StoreIncarnation } from '@/server/storage/incarnation/store-incarnation';
import { recordId } from '@/server/storage/record-id';
import type { HistorySource, RecordKey, RecordStore } from '@/server/storage/record-store';
import type { LossyStore } from './lossy-store';
import { SimConnection } from './sim-connection';
import { BEGAN_AT, type SimDatabase } from './sim-database';
import { SimLink } from './sim-link';
import { type SimReading, startReading } from './sim-reading';
import { SimOwner } from './sim-scheduler';
import { homeOf, SHARD_NAMES } from './sim-shards';
import type { SimWorld } from './sim-world';
import { SlowReadsConnection } from './slow-reads-connection';

const TAIL_EVERY_MS = 150;

/**
 * After a loss, a tail lacks ten thousand lines for a while, and worlds with an audit log last
 * long: frequent polls would take too much time.
 */
const SELDOM_TAIL_EVERY_MS = 1_500;

export interface OpenedStore {
  connection: RecordStore & HistorySource;
  /** The same for the calls of operators; null where that makes no difference. */
  operators: (RecordStore & HistorySource) | null;
  /** Null where the store never loses data. */
  past: StoreIncarnation | null;
}

/**
 * A server process: an engine with a connection of its own, and the tail that its console would
 * follow.
 */
export class SimProcess {
  readonly owner = new SimOwner();
  /** For each store, the history ids that its tail delivered, with repetitions. */
  readonly tailed: number[][] = [];
  engine: LockEngine | null = null;
  /** Whether it is shutting down and takes no new calls. */
  isClosing = false;
  /** Null in a world without lists and watches, and until the process serves. */
  reading: SimReading | null = null;
  readonly clock: Clock;

  constructor(
    readonly world: SimWorld,
    readonly id: string,
  ) {
    const offMs = Math.round((world.random() - 0.5) * 4_000);
    const { scheduler } = world;
    this.clock = {
      now: () => BEGAN_AT + scheduler.now + offMs,
      monotonic: () => scheduler.now,
    };
  }

  /** Starts the process; resolves when it serves. */
  async start(): Promise<void> {
    const { world, owner } = this;
    const { scheduler, lossyStore, isSharded, crowd } = world;
    const opened = lossyStore
      ? await scheduler.as(owner, () => this.openGuarded(lossyStore))
      : world.databases.map((database) => this.open(database));
    const served = isSharded ? opened : opened.slice(0, 1);
    const engines = await scheduler.as(owner, () =>
      Promise.all(served.map((store) => this.engineOf(store))),
    );
    const [first] = opened;
    const [own] = engines;
    if (!first || !own) return;
    const engine = isSharded ? this.engineOver(engines) : own;
    if (crowd) await scheduler.as(owner, () => crowd.watch(this, first, own));
    if (world.isRead) {
      const monitored = this.monitored(served, engines, engine);
      this.reading = scheduler.as(owner, () => startReading(this, monitored));
    }
    this.engine = world.flaws.engine?.(engine, this) ?? engine;
    for (const { connection } of opened) this.followHistory(connection);
    world.audits?.resolveBy(this);
  }

  /** The engine of a process whose backend is sharded; all shards are served. */
  private engineOver(engines: StoreEngine[]): LockEngine {
    return new ShardedEngine({
      backend: 'default',
      shards: engines.map((engine, i) => ({ name: SHARD_NAMES[i] ?? '', engine })),
      homeOf: this.world.flaws.homeOf?.(homeOf, this) ?? homeOf,
      refusal: () => null,
    });
  }

  /** The backend, or its shards, as its lists and watches read them. */
  private monitored(
    stores: OpenedStore[],
    engines: StoreEngine[],
    whole: LockEngine,
  ): MonitoredBackend[] {
    const { flaws, isSharded } = this.world;
    const backends = stores.map(({ connection, past }, i): MonitoredBackend => {
      const backend = {
        id: isSharded ? `default/${SHARD_NAMES[i]}` : 'default',
        store: flaws.deletions?.(connection) ?? connection,
        engine: engines[i] as StoreEngine,
        epochOf: () => past?.epoch ?? 1,
        grantsFromOf: () => past?.grantsFrom ?? 0,
      };
      if (!isSharded) return backend;
      const owns = (key: RecordKey) => homeOf(recordId(key)) === i;
      return { ...backend, shard: { backend: 'default', owns, health: () => whole.health() } };
    });
    return flaws.monitored?.(backends) ?? backends;
  }

  private engineOf({ connection, past }: OpenedStore): Promise<StoreEngine> {
    const { world, id } = this;
    return createEngine({
      backend: 'default',
      kind: 'simulated',
      store: world.flaws.store?.(connection, this) ?? connection,
      epochOf: () => past?.epoch ?? 1,
      lossOf: () => past?.loss ?? null,
      clock: this.clock,
      processId: id,
      newWriter: world.newText,
      ...(world.crowd && { names: world.crowd.countOf(this) }),
      policyOf: (namespace) => {
        const fullBecause = world.crowd?.refusal(this, namespace) ?? null;
        const policy = {
          queueLimit: 20,
          lockDelayMs: world.lockDelayMs,
          fullBecause,
          ...world.crowd?.roomOf(this, namespace),
        };
        return past && namespace !== OWN_NAMESPACE
          ? { ...policy, grantsFrom: past.grantsFrom }
          : policy;
      },
    });
  }

  private followHistory(connection: HistorySource): void {
    const { scheduler, lossyStore, audits, crowd, flaws } = this.world;
    const tail = flaws.tail?.(connection) ?? new HistoryTail(connection, this.clock, 0);
    const everyMs = lossyStore || audits || crowd ? SELDOM_TAIL_EVERY_MS : TAIL_EVERY_MS;
    const delivered: number[] = [];
    this.tailed.push(delivered);
    scheduler.as(this.owner, () => {
      const poll = async () => {
        const rows = await tail.poll().catch(() => []);
        delivered.push(...rows.map(({ id }) => id));
        setTimeout(poll, everyMs);
      };
      setTimeout(poll, everyMs);
    });
  }

  private open(database: SimDatabase): OpenedStore {
    const { scheduler, random } = this.world;
    const fateOf = (call: 'read' | 'swap') =>
      this.world.audits?.fateOf(this, call) ?? this.world.fateOf(call, database);
    const link = new SimLink(scheduler, this.owner, random, fateOf);
    const { slowReads } = this.world;
    if (slowReads) {
      const connection = new SlowReadsConnection(database, link, scheduler, slowReads);
      return { connection, operators: null, past: null };
    }
    const connection = new SimConnection(database, link);
    return { connection, operators: connection.forOperators(), past: null };
  }

  /** Opens the guarded store; empty if the process could not start and ended. */
  private async openGuarded(memory: LossyStore): Promise<OpenedStore[]> {
    try {
      const { store, incarnation } = await memory.open(this);
      return [{ connection: store, operators: null, past: incarnation }];
    } catch {
      this.owner.isDead = true;
      return [];
    }
  }
}
