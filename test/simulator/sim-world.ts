import type { Database } from '@/db/database';
import type { CounterCommand } from '@/server/core/counter/counter-command';
import type { CounterRecord } from '@/server/core/counter/counter-record';
import type { LockCommand } from '@/server/core/lock/lock-command';
import type { LockRecord } from '@/server/core/lock/lock-record';
import type { ShardOf } from '@/server/core/rendezvous-hash';
import type { LockEngine } from '@/server/engine/lock-engine';
import type { AnyCommand, AnyRecord, RecordType } from '@/server/engine/record-type';
import { seeded } from '@/server/engine/testing/seeded';
import type { HistoryTail } from '@/server/monitoring/history/history-tail';
import type { WatchPosition } from '@/server/monitoring/watch/watch-position';
import { recordId } from '@/server/storage/record-id';
import type { HistorySource, RecordKey, RecordStore } from '@/server/storage/record-store';
import type { AuditedActions } from './audited-actions';
import { CrowdedNames } from './crowded-names';
import { drainRandom, hangUpRandom } from './extra-random';
import { LossyStore, type LossyStoreFlaws } from './lossy-store';
import { type DatabaseFlaws, SimDatabase } from './sim-database';
import { restartProcess } from './sim-drain';
import type { Fate } from './sim-link';
import { SimProcess } from './sim-process';
import { reassignRandom } from './sim-reassign';
import { SimScheduler } from './sim-scheduler';
import { homeOf, keysOverShards, SHARD_CLOCK_OFFSET_MAX_MS } from './sim-shards';
import { Trace } from './trace';
import { worldKind } from './world-kind';

type DecideFunction<R extends AnyRecord, C extends AnyCommand> = RecordType<R, C>['decide'];

/** How a broken build differs from ours. The simulator must find each one, or it proves nothing. */
export interface Flaws {
  database?: DatabaseFlaws;
  lossyStore?: LossyStoreFlaws;
  store?: (honest: RecordStore & HistorySource, process: SimProcess) => RecordStore & HistorySource;
  engine?: (honest: LockEngine, process: SimProcess) => LockEngine;
  homeOf?: (honest: ShardOf, process: SimProcess) => ShardOf;
  tail?: (source: HistorySource) => Pick<HistoryTail, 'poll'>;
  /** The store as the parts that follow and delete names reach it. */
  deletions?: (honest: RecordStore & HistorySource) => RecordStore & HistorySource;
  /** Where a watch goes on, by what its caller says. */
  position?: (honest: WatchPosition) => WatchPosition;
  locks?: (
    honest: DecideFunction<LockRecord, LockCommand>,
  ) => DecideFunction<LockRecord, LockCommand>;
  counters?: (
    honest: DecideFunction<CounterRecord, CounterCommand>,
  ) => DecideFunction<CounterRecord, CounterCommand>;
}

const FATES: readonly Fate[] = ['slow', 'loseRequest', 'loseReply', 'late', 'conflict', 'crash'];

/** A process that does not serve within this time never will. */
const START_MS = 4_000;

const LONG_LEASE_MS = 6_000;

/** How long all callers wait after a data loss, so that much can happen in little time. */
const LOSSY_LONG_LEASE_MS = 1_800;
const LOSSY_LASTS_MS = 6_000;

const LOSSES = 0x70b1;
const CROWD = 0xc205;
const PERMITS = 0x9e12;
const SHARD_CLOCKS = 0x5ad1;
const WATCHER = 0x3a11;

/**
 * How much later than its record a line of history becomes visible, at most. In a real store both
 * do at the same time; watches count on less than a second.
 */
const COMMIT_MAX_MS = 3_000;
const WATCHED_COMMIT_MAX_MS = 500;

/** So that some locks rest for a while, and their last change is not followed by another. */
const WATCHED_LOCKS = 6;
const SHARD_AWAY_MS = 3_000;

const LEAST_TIMES = 0x1ea5;
const LEAST_TIMES_SHARE = 0.2;

/** Whether callers of this world ask for locks that are held at least for a while. */
export function hasLeastTimes(seed: number): boolean {
  const kind = worldKind(seed);
  return (
    (kind === 'plain' || kind === 'sharded' || kind === 'watched') &&
    seeded(seed ^ LEAST_TIMES)() < LEAST_TIMES_SHARE
  );
}

const NARROW_COUNTERS = 0xfbe5;
const NARROW_COUNTERS_SHARE = 0.25;

/** Whether the counter of this world has room for so little that most of its steps are refused. */
export function hasNarrowCounter(seed: number): boolean {
  return seeded(seed ^ NARROW_COUNTERS)() < NARROW_COUNTERS_SHARE;
}

/** The longest time for which a process is stopped. */
const STOP_MS = 3_000;

/**
 * One seed's world: how many processes, locks and callers there are, what goes wrong, and for how
 * long.
 */
export class SimWorld {
  readonly random: () => number;
  readonly scheduler: SimScheduler;
  /** One for each shard; only one in every other world. */
  readonly databases: readonly [SimDatabase, ...SimDatabase[]];
  readonly trace = new Trace();
  readonly processes: SimProcess[] = [];
  readonly keys: RecordKey[];
  /** Whether names are spread over several stores. */
  readonly isSharded: boolean;
  readonly counter: RecordKey = { namespace: 'default', name: 'stock', kind: 'counter' };
  readonly lockDelayMs: number;
  /** The share of acquires that are content to share. */
  readonly shared: number;
  /**
   * Whether callers re-enter locks that they hold. Drawn from separate random numbers, so that the
   * worlds of older seeds stay the same.
   */
  readonly reenters: boolean;
  /**
   * Where callers ask for locks that are held at least for a while: random numbers of its own, so
   * that the worlds of older seeds stay the same; null elsewhere.
   */
  readonly leastTimes: (() => number) | null;
  /**
   * From what callers draw how many permits they want, in a world where most want some; null in any
   * other. Separate random numbers, for the same reason.
   */
  readonly permitRandom: (() => number) | null;
  /** In a world where operators reassign locks: see `reassignRandom`. */
  readonly reassigns: (() => number) | null;
  /** From what callers draw whether and when they hang up; null where they never do. */
  readonly hangUps: (() => number) | null;
  /** The share of calls to the database that something happens to. */
  readonly faults: number;
  /** Whether the database's clock is set forward and back now and then. */
  readonly clockSteps: boolean;
  /** The store that loses its memory; null in a world whose store does not. */
  readonly lossyStore: LossyStore | null;
  longLeaseMs: number;
  /**
   * How likely a holder is to renew, each time. After a loss a holder learns its state only if it
   * keeps asking.
   */
  readonly renewing: number;
  /** What operators do, with the log of it; null in a world without. */
  audits: AuditedActions | null = null;
  /** From what it is drawn which processes end in an orderly way; null where none does. */
  readonly drains: (() => number) | null;
  /** The names there is no room for; null in a world that has room. */
  readonly crowd: CrowdedNames | null;
  /** What the program that watches locks draws its numbers from; null where there is none. */
  readonly watchRandom: (() => number) | null;
  /** How far it was set so far, one way and the other taken together. */
  steppedMs = 0;
  /** When the trouble ends and all callers leave, milliseconds since the simulation began. */
  troubleEndsAt: number;
  readonly newText: () => string;
  /** A counter delta, up or down, that no other client ever uses: it identifies its client. */
  readonly newDelta: () => number;
  private texts = 0;

  /** @param control where the store loses its memory: what remembers its past */
  constructor(
    readonly seed: number,
    readonly flaws: Flaws = {},
    control: Database | null = null,
  ) {
    this.random = seeded(seed);
    const { random } = this;
    this.scheduler = new SimScheduler(random);
    const isWatched = worldKind(seed) === 'watched';
    const commitMaxMs = isWatched ? WATCHED_COMMIT_MAX_MS : COMMIT_MAX_MS;
    const commitMs = () => (random() < 0.1 ? random() * commitMaxMs : 0);
    const newDatabase = (aheadMs = 0) =>
      new SimDatabase(() => this.scheduler.now, commitMs, flaws.database ?? {}, aheadMs);
    this.isSharded = worldKind(seed) === 'sharded';
    const off = seeded(seed ^ SHARD_CLOCKS);
    const newShard = () => newDatabase(Math.round((off() - 0.5) * 2 * SHARD_CLOCK_OFFSET_MAX_MS));
    this.databases = this.isSharded ? [newShard(), newShard()] : [newDatabase()];
    this.newText = () => {
      this.texts += 1;
      return `${Math.floor(random() * 36 ** 6).toString(36)}${this.texts.toString(36)}`.slice(-11);
    };
    let deltas = 0;
    this.newDelta = () => {
      deltas += 1;
      return random() < 0.5 ? deltas : -deltas;
    };
    this.watchRandom = isWatched ? seeded(seed ^ WATCHER) : null;
    const drawn = 1 + Math.floor(random() * 2);
    const names = isWatched ? WATCHED_LOCKS : drawn;
    const few = Array.from({ length: names }, (_, i) => ({ namespace: 'default', name: `l${i}` }));
    const isCrowded = worldKind(seed) === 'crowded';
    this.crowd = isCrowded ? new CrowdedNames(this, seeded(seed ^ CROWD)) : null;
    this.keys = this.crowd?.keys ?? (this.isSharded ? keysOverShards() : few);
    this.lockDelayMs = random() < 0.2 ? 300 : 0;
    this.shared = random() < 0.5 ? 0 : 0.3;
    this.permitRandom = worldKind(seed) === 'permits' ? seeded(seed ^ PERMITS) : null;
    const faults = random() < 0.2 ? 0 : random() * 0.12;
    this.faults = this.crowd?.isAlone ? 0 : faults;
    // Not in a world with data loss: the wait after a loss is measured by the clock, and no promise
    // covers one that is set back as well. Nor in one with a watcher, which says by that clock how
    // far it has come.
    this.clockSteps = random() < 0.2 && control === null && !isWatched;
    this.reenters = seeded(seed ^ 7)() < 0.4;
    this.leastTimes = hasLeastTimes(seed) ? seeded(seed ^ LEAST_TIMES ^ 1) : null;
    this.reassigns = reassignRandom(seed);
    this.hangUps = hangUpRandom(seed);
    this.drains = drainRandom(seed);
    const lastsMs = control ? LOSSY_LASTS_MS : 2_000;
    this.troubleEndsAt = lastsMs + random() * 6_000;
    this.renewing = control ? 0.7 : 0.4;
    this.longLeaseMs = control ? LOSSY_LONG_LEASE_MS : LONG_LEASE_MS;
    this.lossyStore = control && new LossyStore(this, control, seeded(seed ^ LOSSES));
  }

  get isTroubled(): boolean {
    return this.scheduler.now < this.troubleEndsAt;
  }

  get database(): SimDatabase {
    return this.databases[0];
  }

  /** The one that keeps this record. */
  databaseOf(key: RecordKey): SimDatabase {
    const home = this.isSharded ? homeOf(recordId(key)) : 0;
    return this.databases[home] ?? this.database;
  }

  fateOf(call: 'read' | 'swap', database = this.database): Fate {
    if (this.scheduler.now < database.awayUntil) return 'loseRequest';
    if (!this.isTroubled || this.random() >= this.faults) return 'pass';
    const fate = FATES[Math.floor(this.random() * FATES.length)] ?? 'pass';
    return call === 'read' && (fate === 'late' || fate === 'crash') ? 'slow' : fate;
  }

  /** Starts another process; one that dies of it stays silent. */
  async join(): Promise<SimProcess> {
    const process = new SimProcess(this, `p${this.processes.length}${this.newText()}`.slice(0, 12));
    this.processes.push(process);
    await Promise.race([process.start(), this.scheduler.pause(START_MS)]);
    return process;
  }

  /** A live process, if there is one. */
  anyProcess(): SimProcess | undefined {
    const alive = this.processes.filter(
      ({ owner, engine, isClosing }) => !owner.isDead && engine && !isClosing,
    );
    return alive[Math.floor(this.random() * alive.length)];
  }

  private anyDatabase(): SimDatabase {
    const { databases } = this;
    if (databases.length === 1) return this.database;
    return databases[Math.floor(this.random() * databases.length)] ?? this.database;
  }

  /** Stops processes, replaces dead ones, and sets the clock, now and then. */
  async trouble(): Promise<void> {
    const { scheduler, random } = this;
    while (this.isTroubled) {
      await scheduler.pause(200 + random() * 800);
      if (this.lossyStore) await this.lossyStore.strike();
      this.crowd?.strike();
      if (this.isSharded && this.faults > 0 && random() < 0.1) {
        this.anyDatabase().awayUntil = scheduler.now + random() * SHARD_AWAY_MS;
      }
      if (this.drains && this.drains() < 0.3) restartProcess(this, this.drains);
      const alive = this.processes.filter(({ owner }) => !owner.isDead);
      if (alive.length === 0 || (random() < 0.1 && !this.crowd?.isAlone)) await this.join();
      if (random() < 0.1 && this.faults > 0) {
        const one = alive[Math.floor(random() * alive.length)];
        if (one)
          one.owner.stoppedUntil = scheduler.now + random() * (this.audits?.stopMs ?? STOP_MS);
      }
      if (this.clockSteps && random() < 0.2) {
        const ms = (random() - 0.5) * 3_000;
        this.steppedMs += Math.abs(ms);
        this.anyDatabase().step(ms);
        this.trace.add(`clock ${ms}`);
      }
    }
    if (!this.anyProcess()) await this.join();
  }
}
