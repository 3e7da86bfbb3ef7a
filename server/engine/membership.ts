import type { BackendHealth } from '../contract/console/backend-health';
import type { LockyardError } from '../contract/errors';
import { DEAD_AFTER_MS, HEARTBEAT_EVERY_MS } from '../core/timing';
import type { Clock } from '../platform/clock';
import { Periodic } from '../platform/periodic';
import {
  type Cursor,
  type Page,
  type RecordKey,
  type RecordStore,
  StoreError,
} from '../storage/record-store';
import type { EngineOptions } from './engine-context';
import { backendDown } from './refusals';
import type { StoreClock } from './store-clock';

/** Lockyard's own records; no caller's namespace can begin with a dot. */
export const OWN_NAMESPACE = '.lockyard';

const PROCESS_PREFIX = 'process/';
const PROCESSES_AT_ONCE = 1_000;
const BEFORE_PROCESSES = { namespace: OWN_NAMESPACE, name: PROCESS_PREFIX };

/** The record of a process's heartbeat on every backend. */
export const heartbeatKey = (process: string): RecordKey => ({
  namespace: OWN_NAMESPACE,
  name: PROCESS_PREFIX + process,
});

/**
 * This process's heartbeat on a backend, and what it knows of the others'.
 *
 * A process is dead when its last heartbeat is `DEAD_AFTER_MS` old on the backend's clock, as of
 * the last successful read: a failed read declares no process dead.
 */
export class Membership {
  private readonly aliveUntil = new Map<string, number>();
  private readonly clock: Clock;
  private readonly store: RecordStore;
  private readonly key: RecordKey;
  private seen: { rev: number; writer: string } | null = null;
  private refreshedAt = 0;
  private lastSuccessAt: number;
  private latencyMs: number | null = null;
  /** Why the last heartbeat failed; null where it did not. */
  private failure: unknown = 'none yet';
  private readonly heartbeat = new Periodic({
    job: 'send a heartbeat',
    everyMs: HEARTBEAT_EVERY_MS,
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

  /**
   * Sends a heartbeat, then periodically. Resolves after the first one, whether or not the backend
   * responded.
   */
  start(): Promise<void> {
    return this.heartbeat.startNow();
  }

  /** Stops the heartbeat and declares this process dead, so that others need not wait. */
  async stop(): Promise<void> {
    await this.heartbeat.stop();
    if (this.reachable) await this.sendHeartbeat(0);
  }

  readonly isAlive = (process: string): boolean => {
    const until = this.aliveUntil.get(process);
    return until !== undefined && until > this.refreshedAt;
  };

  /**
   * Reads the heartbeats if one of these processes was never heard of: it may have just started, or
   * be long dead. A failure is ignored.
   */
  async refreshUnknown(processes: string[]): Promise<void> {
    const { processId } = this.options;
    const isUnknown = (other: string) => other !== processId && !this.aliveUntil.has(other);
    if (processes.some(isUnknown)) await this.refresh().catch(() => undefined);
  }

  get reachable(): boolean {
    return this.failure === null;
  }

  /** The refusal of every command while this backend does not serve; null while it does. */
  get refusal(): LockyardError | null {
    return this.reachable ? null : backendDown(this.failure);
  }

  /** Reads every process's heartbeat. */
  async refresh(): Promise<void> {
    let cursor: Cursor | null = { namespace: OWN_NAMESPACE, after: BEFORE_PROCESSES };
    while (cursor) {
      const page: Page = await this.store.scan(cursor, PROCESSES_AT_ONCE);
      for (const { key, record, now } of page.records) {
        this.refreshedAt = Math.max(this.refreshedAt, now);
        if (!record || !key.name.startsWith(PROCESS_PREFIX)) continue;
        this.aliveUntil.set(key.name.slice(PROCESS_PREFIX.length), Number(record.head));
      }
      cursor = page.next;
    }
  }

  health(): BackendHealth {
    const { backend: id, kind } = this.options;
    const now = this.storeClock.atLeast();
    const refusal = this.failure instanceof StoreError ? this.failure.refusal : null;
    return {
      id,
      kind,
      reachable: this.reachable,
      latencyMs: this.latencyMs,
      silentForMs: Math.round(this.clock.monotonic() - this.lastSuccessAt),
      clockOffsetMs: now === null ? 0 : Math.round(now - this.clock.now()),
      ...(refusal === null ? {} : { refusal }),
    };
  }

  private async sendHeartbeat(aliveForMs: number): Promise<void> {
    try {
      const sentAt = this.clock.monotonic();
      await this.writeHeartbeat(aliveForMs);
      this.latencyMs = this.clock.monotonic() - sentAt;
      await this.refresh();
      this.lastSuccessAt = this.clock.monotonic();
      this.failure = null;
    } catch (error) {
      this.failure = error;
      this.seen = null;
    }
  }

  private async writeHeartbeat(aliveForMs: number): Promise<void> {
    const readAt = this.clock.monotonic();
    const { records } = await this.store.read([this.key], []);
    const [read] = records;
    if (!read) return;
    const isEstimate = this.store.estimatesClock ?? false;
    if (!isEstimate) this.storeClock.observe(read.now, readAt);
    this.seen = read.record;
    const swappedAt = this.clock.monotonic();
    const [result] = await this.store.swap([
      {
        key: this.key,
        expect: this.seen && { rev: this.seen.rev, writer: this.seen.writer },
        clock: { past: 0, ahead: Number.POSITIVE_INFINITY },
        writer: this.options.newWriter(),
        rev: (this.seen?.rev ?? 0) + 1,
        head: String(aliveForMs === 0 ? 0 : read.now + aliveForMs),
        queue: this.seen ? null : '',
        events: [],
        memos: [],
        extensions: [],
      },
    ]);
    if (result && (result.applied || !isEstimate)) this.storeClock.observe(result.now, swappedAt);
  }
}
