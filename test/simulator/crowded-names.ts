import { pino } from 'pino';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { sinceEra } from '@/server/core/fencing-token';
import { unwrittenRecord } from '@/server/core/lock/lock-record';
import { MINUTE_MS } from '@/server/core/time-units';
import type { LockEngine, StoreEngine } from '@/server/engine/lock-engine';
import { NameCapacity } from '@/server/engine/names/name-capacity';
import { NameCount } from '@/server/engine/names/name-count';
import { HolderEvidence } from '@/server/monitoring/liveness/holder-evidence';
import { TimeSlice } from '@/server/monitoring/lock-list/order/time-slice';
import { Maintenance } from '@/server/monitoring/maintenance/maintenance';
import { deleteRecords } from '@/server/monitoring/names/delete-records';
import { NamespaceCapacity } from '@/server/monitoring/names/namespace-capacity';
import { LockProjection } from '@/server/monitoring/projection/lock-projection';
import type { MonitoredBackend } from '@/server/monitoring/projection/monitored-backend';
import { encodeRecord } from '@/server/storage/codec/record-codec';
import type { RecordKey } from '@/server/storage/record-store';
import type { OpenedStore, SimProcess } from './sim-process';
import type { SimWorld } from './sim-world';

const FOLLOW_EVERY_MS = 150;
const RECOUNT_EVERY_MS = 1_000;

/** How far the tokens and revs of a frequently used lock may run ahead of the clock. */
const AHEAD_MAX_MS = 90 * MINUTE_MS;

/** Within this time after a leap, a live process has done its maintenance. */
const MAINTENANCE_MS = 8_000;

/** The kinds of pauses in a world, each with its minimum and maximum length. */
const LEAPS: readonly [minMs: number, maxMs: number][] = [
  // Every lease has expired.
  [7_000, 4 * MINUTE_MS],
  // A lock is idle, but its tokens are not yet far enough below those of a new lock.
  [5 * MINUTE_MS, 11 * MINUTE_MS],
  // Stored answers have expired.
  [11 * MINUTE_MS, 50 * MINUTE_MS],
  // A hold that was lost may be forgotten.
  [50 * MINUTE_MS, 75 * MINUTE_MS],
];

/** What a process knows of the names of its namespace. */
interface KnownNames {
  count: NameCount;
  capacity: NameCapacity;
}

/**
 * A world with more names than its namespace has room for. Each process counts names with the real
 * projection, which scans and follows the store; the one that runs maintenance deletes idle locks,
 * and operators delete locks too, all with the real code. Time leaps now and then, as on a host
 * that was suspended: only then is a lock idle for long enough.
 */
export class CrowdedNames {
  readonly maxLocks: number;
  readonly keys: RecordKey[];
  /**
   * Whether there is one process, and nothing ever goes wrong: then the limit is exact. Elsewhere a
   * process learns of another's names a moment later.
   */
  readonly isAlone: boolean;
  /** How often time has leapt so far. */
  leaps = 0;
  private readonly known = new Map<SimProcess, KnownNames>();
  /** The backends through which operators delete names. */
  private readonly operated = new Map<SimProcess, Pick<MonitoredBackend, 'store' | 'epochOf'>>();

  /** @param random numbers of its own */
  constructor(
    private readonly world: SimWorld,
    private readonly random: () => number,
  ) {
    this.maxLocks = 3 + Math.floor(random() * 4);
    this.isAlone = random() < 0.25;
    const names = this.maxLocks + Math.floor(random() * 4);
    this.keys = Array.from({ length: names }, (_, i) => ({ namespace: 'default', name: `l${i}` }));
  }

  /** Creates locks, some of which were used more often than once per millisecond. */
  populate(): void {
    const { database } = this.world;
    const now = database.now();
    for (const key of this.keys.slice(0, Math.floor(this.random() * 3))) {
      const aheadMs = Math.floor(this.random() * AHEAD_MAX_MS);
      const rev = sinceEra(now + aheadMs);
      const lastToken = 2 ** 41 + sinceEra(now) + Math.floor(this.random() * aheadMs);
      const { head, queue } = encodeRecord({ ...unwrittenRecord(now), rev, lastToken }, null);
      const clock = { past: 0, ahead: Number.POSITIVE_INFINITY };
      const plain = { events: [], storedAnswers: [], extensions: [] };
      const written = { rev, writer: 'furnish', head, queue: queue ?? '' };
      database.swap([{ key, expect: null, clock, ...written, ...plain }]);
    }
  }

  countOf(process: SimProcess): NameCount {
    return this.knownBy(process).count;
  }

  /** Why a process refuses new names now, if it does. */
  refusal(process: SimProcess, namespace: string): string | null {
    return this.knownBy(process).capacity.refusal(namespace, this.maxLocks);
  }

  /** How many more names there is room for, according to a process. */
  roomOf(process: SimProcess, namespace: string): { roomForNames?: number } {
    const room = this.knownBy(process).capacity.roomFor(namespace, this.maxLocks);
    return room === null ? {} : { roomForNames: room };
  }

  /** Starts following the store in a process, and maintenance while this process is responsible. */
  async watch(
    process: SimProcess,
    { connection, operators }: OpenedStore,
    engine: StoreEngine,
  ): Promise<void> {
    const { world } = this;
    const { clock, id: processId } = process;
    const log = pino({ level: 'silent' });
    const flawed = world.flaws.deletions ?? ((honest) => honest);
    const epochOf = () => 1;
    const backend = { id: 'default', store: flawed(connection), engine, epochOf };
    const backends = [backend];
    const policy = { ...DEFAULT_POLICY, maxLocks: this.maxLocks };
    const namespaces = {
      get: async () => ({ backend: 'default' }),
      policyOf: () => policy,
    };
    const names = this.knownBy(process).count;
    const holdBaselines = { of: () => null, onChange: () => {} } as never;
    // Its pauses are real time, which nothing here may depend on.
    const slice = () => new TimeSlice(() => 0);
    const shared = { backends, clock, log, namespaces, names, slice };
    const database = null as never;
    const evidence = new HolderEvidence(database, backends, clock);
    const projection = new LockProjection({ ...shared, holdBaselines, evidence, processId });
    const room = new NamespaceCapacity({ ...shared, projection, database });
    const capacity = { run: () => room.run(), setLegacyLimits: async () => {} };
    const idle = { run: async () => {}, prune: async () => {}, restart: () => {} };
    const alerts = { jobs: () => [], restart: () => {}, abort: () => {} };
    const heat = { ...idle, flush: async () => {} };
    const recording = { recorders: [], incidents: idle, heat, alerts };
    const others = {
      ...recording,
      witnesses: alerts,
      pruneEvidence: async () => {},
      resolveIntents: async () => {},
      pruneAudit: async () => {},
    };
    new Maintenance({ ...shared, projection, capacity, processId, ...others }).start();
    if (operators) this.operated.set(process, { store: flawed(operators), epochOf });
    this.repeat(process, FOLLOW_EVERY_MS, () => projection.follow(backend));
    this.repeat(process, RECOUNT_EVERY_MS, () => room.recount());
    await projection.follow(backend).catch(() => undefined);
  }

  /** Deletes one lock as an operator does, if that is allowed. */
  async deleteBy(engine: LockEngine, key: RecordKey): Promise<void> {
    const process = this.world.processes.find((one) => one.engine === engine);
    const backend = process && this.operated.get(process);
    if (backend) await deleteRecords(backend, [key], 0).catch(() => undefined);
  }

  /** Perhaps lets time leap. */
  perhapsLeap(): void {
    if (this.isAlone || this.random() > 0.3) return;
    const [minMs, maxMs] = LEAPS[Math.floor(this.random() * LEAPS.length)] ?? [0, 0];
    this.leap(minMs + this.random() * (maxMs - minMs));
  }

  /** Makes room for every name at the end: time passes, and maintenance runs. */
  async makeRoom(): Promise<void> {
    this.leap(3 * 60 * MINUTE_MS);
    await this.world.scheduler.pause(MAINTENANCE_MS);
  }

  /** Everything stops, and continues this much later. */
  private leap(ms: number): void {
    const { world } = this;
    this.leaps += 1;
    world.scheduler.now += ms;
    world.troubleEndsAt += ms;
    world.trace.add(`leap ${ms}`);
  }

  private knownBy(process: SimProcess): KnownNames {
    const known = this.known.get(process);
    if (known) return known;
    const count = new NameCount(() => process.clock.monotonic());
    const made = { count, capacity: new NameCapacity(count, () => false) };
    this.known.set(process, made);
    return made;
  }

  private repeat({ owner }: SimProcess, everyMs: number, run: () => Promise<unknown>): void {
    const again = async () => {
      await run().catch(() => undefined);
      setTimeout(again, everyMs);
    };
    this.world.scheduler.as(owner, () => void setTimeout(again, everyMs));
  }
}
