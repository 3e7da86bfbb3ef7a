import type { Database } from '@/db/database';
import type { ListAnswer } from '@/server/contract/lock/answers';
import type { CounterCommand } from '@/server/core/counter/counter-command';
import type { CounterRecord } from '@/server/core/counter/counter-record';
import type { LockCommand } from '@/server/core/lock/lock-command';
import type { LockRecord } from '@/server/core/lock/lock-record';
import type { ShardOf } from '@/server/core/rendezvous-hash';
import type { LockEngine } from '@/server/engine/lock-engine';
import type { AnyCommand, AnyRecord, RecordType } from '@/server/engine/record-type';
import { seeded } from '@/server/engine/testing/seeded';
import type { HistoryTail } from '@/server/monitoring/history/history-tail';
import type { MonitoredBackend } from '@/server/monitoring/projection/monitored-backend';
import type { WatchPosition } from '@/server/monitoring/watch/watch-position';
import { recordId } from '@/server/storage/record-id';
import type { HistorySource, RecordKey, RecordStore } from '@/server/storage/record-store';
import type { AuditedActions } from './audited-actions';
import { CrowdedNames } from './crowded-names';
import {
  drainRandom,
  hangUpRandom,
  readRandom,
  releaseRequestRandom,
  resendRandom,
  slowReadsRandom,
} from './extra-random';
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

/** How a broken build differs from ours. The simulator must find each, or it proves nothing. */
export interface Flaws {
  database?: DatabaseFlaws;
  lossyStore?: LossyStoreFlaws;
  store?: (honest: RecordStore & HistorySource, process: SimProcess) => RecordStore & HistorySource;
  engine?: (honest: LockEngine, process: SimProcess) => LockEngine;
  homeOf?: (honest: ShardOf, process: SimProcess) => ShardOf;
  tail?: (source: HistorySource) => Pick<HistoryTail, 'poll'>;
  /** The store as used by the parts that follow and delete names. */
  deletions?: (honest: RecordStore & HistorySource) => RecordStore & HistorySource;
  /** The backend, or its shards, from which lists and watches are answered. */
  monitored?: (honest: MonitoredBackend[]) => MonitoredBackend[];
  /** What is answered to a caller that lists all locks. */
  list?: (honest: ListAnswer) => ListAnswer;
  /** Where a watch continues, from the position that its caller sends. */
  position?: (honest: WatchPosition) => WatchPosition;
  /** The version that a process reads in a position of its own. */
  version?: (honest: number) => number;
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

/** How long all callers wait after a data loss: briefly, so that much can happen in little time. */
const LOSSY_LONG_LEASE_MS = 1_800;
const LOSSY_LASTS_MS = 6_000;

const LOSSES = 0x70b1;
const CROWD = 0xc205;
const PERMITS = 0x9e12;
const SHARD_CLOCKS = 0x5ad1;
const WATCHER = 0x3a11;

/**
 * The longest time from a record's change until its line of history is visible. In a real store
 * both are visible at the same time; lists and watches rely on less than a second.
 */
const COMMIT_MAX_MS = 3_000;
const READ_COMMIT_MAX_MS = 500;

/** So many that some locks are idle for a while, and no other change follows their last one. */
const WATCHED_LOCKS = 6;
const SHARD_AWAY_MS = 3_000;

const LEAST_TIMES = 0x1ea5;
const LEAST_TIMES_SHARE = 0.2;

/** Whether callers of this world use minimum hold times. */
export function hasLeastTimes(seed: number): boolean {
  const kind = worldKind(seed);
  return (
    (kind === 'plain' || kind === 'sharded' || kind === 'watched') &&
    seeded(seed ^ LEAST_TIMES)() < LEAST_TIMES_SHARE
  );
}

const WATCHERS = 0x3a90;
const WATCHERS_OVER_SHARDS_SHARE = 0.3;

/** Whether a program watches all locks of this world. */
export function hasWatcher(seed: number): boolean {
  const kind = worldKind(seed);
  const isDrawn = () => seeded(seed ^ WATCHERS)() < WATCHERS_OVER_SHARDS_SHARE;
  return kind === 'watched' || (kind === 'sharded' && isDrawn());
}

const NARROW_COUNTERS = 0xfbe5;
const NARROW_COUNTERS_SHARE = 0.25;

/** Whether the counter of this world has bounds so narrow that most of its steps are refused. */
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
  /** One for each shard; exactly one in a world without shards. */
  readonly databases: readonly [SimDatabase, ...SimDatabase[]];
  readonly trace = new Trace();
  readonly processes: SimProcess[] = [];
  readonly keys: RecordKey[];
  /** Whether names are spread over several stores. */
  readonly isSharded: boolean;
  readonly counter: RecordKey = { namespace: 'default', name: 'stock', kind: 'counter' };
  readonly lockDelayMs: number;
  /** The share of acquires in shared mode. */
  readonly shared: number;
  /**
   * Whether callers re-enter locks that they hold. Drawn from separate random numbers, so that the
   * worlds of older seeds stay the same.
   */
  readonly reenters: boolean;
  /**
   * The random numbers for minimum hold times; null where callers use none. They are separate, so
   * that the worlds of older seeds stay the same.
   */
  readonly leastTimes: (() => number) | null;
  /**
   * The random numbers that decide how many permits callers want; null in a world without permits.
   * Separate for the same reason.
   */
  readonly permitRandom: (() => number) | null;
  /** In a world where operators reassign locks: see `reassignRandom`. */
  readonly reassigns: (() => number) | null;
  /** The random numbers that decide whether and when callers hang up; null where they never do. */
  readonly hangUps: (() => number) | null;
  /** The random numbers that decide whether and when callers ask again before they hang up. */
  readonly resends: () => number;
  /** The random numbers that decide when callers read locks; null where none does. */
  readonly reads: (() => number) | null;
  /** Whether lists and watches are answered, from what each process has read. */
  readonly isRead: boolean;
  /** The random numbers that decide whom operators ask to release; null where they never do. */
  readonly releaseRequests: (() => number) | null;
  /** The share of calls to the database that something happens to. */
  readonly faults: number;
  /** Whether the database's clock is set forward and back now and then. */
  readonly clockSteps: boolean;
  /** The store that loses data; null in a world whose store does not. */
  readonly lossyStore: LossyStore | null;
  longLeaseMs: number;
  /**
   * The probability that a holder renews, each time. After a loss, a holder learns its state only
   * if it keeps asking.
   */
  readonly renewing: number;
  /** The audited actions of operators; null in a world without. */
  audits: AuditedActions | null = null;
  /** The random numbers that decide which processes shut down; null where none does. */
  readonly drains: (() => number) | null;
  /** In a world whose store reads one record after another: see `SlowReadsConnection`. */
  readonly slowReads: (() => number) | null;
  /** The names for which there is no room; null in a world with room for all. */
  readonly crowd: CrowdedNames | null;
  /** The random numbers of the program that watches locks; null where there is none. */
  readonly watchRandom: (() => number) | null;
  /** How far the database's clock was set in total, in both directions. */
  steppedMs = 0;
  /** When the trouble ends and all callers leave, milliseconds since the simulation began. */
  troubleEndsAt: number;
  readonly newText: () => string;
  /** A counter delta, up or down, that no other client ever uses: it identifies its client. */
  readonly newDelta: () => number;
  private texts = 0;

  /** @param control the control database of a world whose store loses data; else null */
  constructor(
    readonly seed: number,
    readonly flaws: Flaws = {},
    control: Database | null = null,
  ) {
    this.random = seeded(seed);
    const { random } = this;
    this.scheduler = new SimScheduler(random);
    const isWatched = hasWatcher(seed);
    this.reads = readRandom(seed);
    this.isRead = isWatched || this.reads !== null;
    const commitMaxMs = this.isRead ? READ_COMMIT_MAX_MS : COMMIT_MAX_MS;
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
    const names = worldKind(seed) === 'watched' ? WATCHED_LOCKS : drawn;
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
    // covers a clock that is set back as well. Nor in one with a watcher, whose position is an
    // instant of that clock.
    this.clockSteps = random() < 0.2 && control === null && !isWatched;
    this.reenters = seeded(seed ^ 7)() < 0.4;
    this.leastTimes = hasLeastTimes(seed) ? seeded(seed ^ LEAST_TIMES ^ 1) : null;
    this.reassigns = reassignRandom(seed);
    this.hangUps = hangUpRandom(seed);
    this.resends = resendRandom(seed);
    this.releaseRequests = releaseRequestRandom(seed);
    this.drains = drainRandom(seed);
    this.slowReads = slowReadsRandom(seed);
    const lastsMs = control ? LOSSY_LASTS_MS : 2_000;
    this.troubleEndsAt = lastsMs + random() * 6_000;
    this.renewing = control ? 0.7 : 0.4;
    this.longLeaseMs = control ? LOSSY_LONG_LEASE_MS : LONG_LEASE_MS;
    this.lossyStore = control && new LossyStore(this, control, seeded(seed ^ LOSSES));
  }

  get isTroubled(): boolean {
    return this.scheduler.now < this.troubleEndsAt;
  }

  /** Whether nothing goes wrong but what callers and operators do themselves. */
  get isCalm(): boolean {
    const { faults, clockSteps, drains, lossyStore, audits, crowd } = this;
    return faults === 0 && !clockSteps && !drains && !lossyStore && !audits && !crowd;
  }

  get database(): SimDatabase {
    return this.databases[0];
  }

  /** The database that stores this record. */
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

  /** Starts another process, which may die while it starts. */
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

  /** Now and then stops processes, replaces dead ones, and sets the clock. */
  async trouble(): Promise<void> {
    const { scheduler, random } = this;
    while (this.isTroubled) {
      await scheduler.pause(200 + random() * 800);
      if (this.lossyStore) await this.lossyStore.perhapsLose();
      this.crowd?.perhapsLeap();
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
