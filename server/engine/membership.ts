import type { BackendHealth } from '../contract/console/backend-health';
import type { LockyardError } from '../contract/errors';
import { DEAD_AFTER_MS, HEARTBEAT_EVERY_MS } from '../core/timing';
import type { Clock } from '../platform/clock';
import { Periodic } from '../platform/periodic';
import {
  type Cursor,
  type Page,
  type ReadRecord,
  type RecordKey,
  type RecordStore,
  StoreError,
} from '../storage/record-store';
import type { EngineOptions } from './engine-context';
import { backendDown, isProgrammingError } from './refusals';
import type { StoreClock } from './store-clock';

/** Lockyard's own records; no caller's namespace can begin with a dot. */
export const OWN_NAMESPACE = '.lockyard';

const PROCESS_PREFIX = 'process/';
const PROCESSES_AT_ONCE = 1_000;
const BEFORE_PROCESSES = { namespace: OWN_NAMESPACE, name: PROCESS_PREFIX };

/** The shortest pause between two heartbeats, even if one takes as long as the period. */
const HEARTBEAT_PAUSE_MIN_MS = 100;

/** A heartbeat that fails sooner is sent once more before the backend counts as unreachable. */
const RETRY_WITHIN_MS = 250;

/** The record of a process's heartbeat on every backend. */
export const heartbeatKey = (process: string): RecordKey => ({
  namespace: OWN_NAMESPACE,
  name: PROCESS_PREFIX + process,
});

interface Heartbeat {
  writer: string;
  /** On the backend's clock. */
  aliveUntil: number;
}

/**
 * Sends this process's heartbeat to a backend, and reads those of the others.
 *
 * A process is dead when its last heartbeat is `DEAD_AFTER_MS` old on the backend's clock, as of
 * the last successful read: a failed read declares no process dead. If the clock was set back, that
 * time begins again with the next read; if it was set forward, as much of it is left as before.
 */
export class Membership {
  private readonly heartbeats = new Map<string, Heartbeat>();
  /**
   * Processes whose state a failed read should have shown: they count as alive until a later read
   * succeeds. By process: the number of the last read that had begun when that one failed.
   */
  private readonly presumedAlive = new Map<string, number>();
  private readonly clock: Clock;
  private readonly store: RecordStore;
  private readonly key: RecordKey;
  /** The backend's clock as of the last applied read, lower than before if it was set back. */
  private refreshedAt = 0;
  /** When that read began, on the monotonic clock. */
  private refreshBegunAt = 0;
  private refreshes = 0;
  private lastApplied = 0;
  private lastSuccessAt: number;
  private latencyMs: number | null = null;
  /** How long the last successful heartbeat took. */
  private tookMs = 0;
  /** Why the last heartbeat failed; null if it succeeded. */
  private failure: unknown = 'none yet';
  private readonly heartbeat = new Periodic({
    job: 'send a heartbeat',
    everyMs: () => this.pauseMs(),
    run: () => this.sendHeartbeat(DEAD_AFTER_MS),
  });

  constructor(
    private readonly options: EngineOptions,
    private readonly storeClock: StoreClock,
  ) {
    this.clock = options.clock;
    this.store = options.store;
    this.key = heartbeatKey(options.processId);
    this.lastSuccessAt = options.clock.monotonic();
  }

  /** Sends heartbeats. Resolves after the first, whether or not the backend responded. */
  start(): Promise<void> {
    return this.heartbeat.startNow();
  }

  /** Stops the heartbeat and declares this process dead, which others would notice only later. */
  async stop(): Promise<void> {
    await this.heartbeat.stop();
    if (this.reachable) await this.sendHeartbeat(0);
  }

  readonly isAlive = (process: string): boolean =>
    this.wasAlive(process) || this.presumedAlive.has(process);

  /** Whether a process is this one, or was alive when the heartbeats were last read. */
  readonly wasAlive = (process: string): boolean => {
    if (process === this.options.processId) return true;
    const heartbeat = this.heartbeats.get(process);
    return heartbeat !== undefined && heartbeat.aliveUntil > this.refreshedAt;
  };

  /**
   * Reads the heartbeats if one of these processes was not alive when they were last read: it may
   * have started or resumed since, or be long dead. If the read fails, it counts as alive.
   */
  async refreshAbsent(processes: string[]): Promise<void> {
    const absent = processes.filter((process) => !this.wasAlive(process));
    if (absent.length === 0) return;
    await this.refresh().catch(() => {
      for (const process of absent) this.presumedAlive.set(process, this.refreshes);
    });
  }

  get reachable(): boolean {
    return this.failure === null;
  }

  /** The refusal of every command while this backend does not serve; null while it does. */
  get refusal(): LockyardError | null {
    return this.reachable ? null : backendDown(this.failure);
  }

  /** Reads the heartbeats of all processes; ignores them if a later read was applied meanwhile. */
  async refresh(): Promise<void> {
    this.refreshes += 1;
    const refresh = this.refreshes;
    const begunAt = this.clock.monotonic();
    const reads: ReadRecord[] = [];
    let cursor: Cursor | null = { namespace: OWN_NAMESPACE, after: BEFORE_PROCESSES };
    while (cursor) {
      const page: Page = await this.store.scan(cursor, PROCESSES_AT_ONCE);
      reads.push(...page.records);
      cursor = page.next;
    }
    if (refresh < this.lastApplied) return;
    this.lastApplied = refresh;
    const stepMs = this.setForwardMs(reads);
    this.refreshBegunAt = begunAt;
    const found = new Set(reads.map((read) => this.apply(read, stepMs)));
    for (const process of this.heartbeats.keys()) {
      if (!found.has(process)) this.heartbeats.delete(process);
    }
    for (const [process, begun] of this.presumedAlive) {
      if (begun < refresh) this.presumedAlive.delete(process);
    }
  }

  health(): BackendHealth {
    const { backend: id, kind } = this.options;
    const now = this.storeClock.atLeast();
    const latest = this.storeClock.atMost();
    const refusal = this.failure instanceof StoreError ? this.failure.refusal : null;
    return {
      id,
      kind,
      reachable: this.reachable,
      latencyMs: this.latencyMs,
      silentForMs: Math.round(this.clock.monotonic() - this.lastSuccessAt),
      clockOffsetMs: now === null ? 0 : Math.round(now - this.clock.now()),
      ...(now === null || latest === null ? {} : { clockSpreadMs: latest - now + 1 }),
      ...(refusal === null ? {} : { refusal }),
    };
  }

  /**
   * By how much the backend's clock was certainly set forward since the last applied read; 0 if by
   * so little that every process has sent another heartbeat before the last one became invalid.
   */
  private setForwardMs([read]: ReadRecord[]): number {
    if (!read || this.refreshedAt === 0) return 0;
    const passedMs = this.clock.monotonic() - this.refreshBegunAt;
    const stepMs = read.now - this.refreshedAt - passedMs;
    return stepMs < HEARTBEAT_EVERY_MS ? 0 : stepMs;
  }

  /**
   * Applies a record that was read. Returns its process; null if it is not a heartbeat.
   *
   * @param stepMs by how much the clock was set forward since the last read
   */
  private apply({ key, record, now }: ReadRecord, stepMs: number): string | null {
    this.refreshedAt = now;
    if (!record || !key.name.startsWith(PROCESS_PREFIX)) return null;
    const process = key.name.slice(PROCESS_PREFIX.length);
    const { writer, head } = record;
    const known = this.heartbeats.get(process);
    const heldUntil = known?.writer === writer ? known.aliveUntil : Number(head);
    // After the clock was set back, a crashed process must not stay alive until it catches up.
    const aliveUntil = Math.min(heldUntil + stepMs, now + DEAD_AFTER_MS);
    this.heartbeats.set(process, { writer, aliveUntil });
    return process;
  }

  /** The pause from the end of one heartbeat to the next, whose period includes its duration. */
  private pauseMs(): number {
    if (!this.reachable) return HEARTBEAT_EVERY_MS;
    return Math.max(HEARTBEAT_PAUSE_MIN_MS, HEARTBEAT_EVERY_MS - this.tookMs);
  }

  /**
   * Sends a heartbeat. While heartbeats fail every caller is refused, so one that fails quickly is
   * repeated once: a lost connection or a transaction that was rolled back is not an outage.
   */
  private async sendHeartbeat(aliveForMs: number): Promise<void> {
    const sentAt = this.clock.monotonic();
    const hasFailedFast = (failure: unknown) =>
      failure !== null && this.clock.monotonic() - sentAt < RETRY_WITHIN_MS;
    let failure = await this.heartbeatFailure(aliveForMs);
    if (this.reachable && hasFailedFast(failure)) failure = await this.heartbeatFailure(aliveForMs);
    if (isProgrammingError(failure) && !isProgrammingError(this.failure)) {
      this.options.onFault?.(this.key, backendDown(failure));
    }
    this.failure = failure;
    if (failure !== null) return;
    this.lastSuccessAt = this.clock.monotonic();
    this.tookMs = this.lastSuccessAt - sentAt;
  }

  /**
   * Writes this process's heartbeat and reads the others' at the same time: on a slow backend, one
   * after the other could take longer than a heartbeat is valid. Null: neither failed.
   */
  private async heartbeatFailure(aliveForMs: number): Promise<unknown> {
    const work = [this.writeHeartbeat(aliveForMs), this.refresh()];
    // Waits for both, so that neither overlaps with the next heartbeat.
    const done = await Promise.allSettled(work);
    const failed = done.find((one) => one.status === 'rejected');
    return failed ? failed.reason : null;
  }

  private async writeHeartbeat(aliveForMs: number): Promise<void> {
    const readAt = this.clock.monotonic();
    const { records } = await this.store.read([this.key], []);
    const [read] = records;
    if (!read) return;
    const isEstimate = this.store.estimatesClock ?? false;
    if (!isEstimate) this.storeClock.observe(read.now, readAt);
    const seen = read.record;
    const swappedAt = this.clock.monotonic();
    const [result] = await this.store.swap([
      {
        key: this.key,
        expect: seen && { rev: seen.rev, writer: seen.writer },
        clock: { past: 0, ahead: Number.POSITIVE_INFINITY },
        writer: this.options.newWriter(),
        rev: (seen?.rev ?? 0) + 1,
        head: String(aliveForMs === 0 ? 0 : read.now + aliveForMs),
        queue: seen ? null : '',
        events: [],
        storedAnswers: [],
        extensions: [],
      },
    ]);
    if (result && (result.applied || !isEstimate)) this.storeClock.observe(result.now, swappedAt);
    this.latencyMs = this.clock.monotonic() - readAt;
  }
}
