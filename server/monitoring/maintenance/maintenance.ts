import { IDLE_MS } from '../../core/names/deletion';
import { OWN_NAMESPACE } from '../../engine/membership';
import { anonymousRequest } from '../../engine/request-identity';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import type { Cursor, ObsoleteRecord, ReadRecord, RecordKey } from '../../storage/record-store';
import type { EventRecorder } from '../history/event-recorder';
import { deleteReadRecords } from '../names/delete-records';
import type { LockProjection } from '../projection/lock-projection';
import type { MonitoredBackend } from '../projection/monitored-backend';

const MAINTENANCE_KEY = { namespace: OWN_NAMESPACE, name: 'chores' };
const LEASE_MS = 1_500;
const RENEW_EVERY_MS = 400;
const QUEUES_EVERY_MS = 1_000;
/**
 * A lease that expired less than this ago is left to the next caller, who cleans it up while
 * acquiring.
 */
const EXPIRED_FOR_MS = 800;
const CLEAN_UP_EVERY_MS = 10 * 60_000;
const INTENTS_EVERY_MS = 10_000;
const CAPACITY_EVERY_MS = 5_000;
const LEGACY_LIMITS_EVERY_MS = 2_000;
const DEAD_PROCESS_MS = 60 * 60_000;
const SCAN_PAGE = 200;

export interface MaintenanceOptions {
  backends: MonitoredBackend[];
  projection: Pick<LockProjection, 'dueForExpiry'>;
  recorders: Pick<EventRecorder, 'record' | 'prune' | 'restart'>[];
  clock: Clock;
  log: Log;
  processId: string;
  /** Closes audit intents whose outcome was never written. */
  resolveIntents: () => Promise<void>;
  /** Makes room for new names, and warns where it gets short. */
  freeCapacity: () => Promise<void>;
  /** Decides what namespaces may have that had more names than there may be now. */
  setLegacyNameLimits: () => Promise<void>;
}

/**
 * Maintenance that one process does for all: the one that holds Lockyard's own chores lock on the
 * control database's backend. Every chore is safe to repeat, so a moment with two processes running
 * it does no harm.
 */
export class Maintenance {
  private token: number | null = null;
  /**
   * When the lease is surely over, on the monotonic clock: from then on another process may have
   * the lock.
   */
  private leaseEndsAt = 0;
  private readonly doneAt = new Map<string, number>();
  private readonly running = new Map<string, Promise<void>>();
  /** Chores that failed when they were last done. */
  private readonly failing = new Set<string>();

  constructor(private readonly parts: MaintenanceOptions) {}

  /**
   * Takes or keeps the lock, and begins what is due. What one backend keeps waiting holds up no
   * other.
   */
  async run(): Promise<void> {
    if (this.isDue('lease', RENEW_EVERY_MS)) await this.attempt('lease', () => this.keepLease());
    if (this.token === null) return;
    const { backends, recorders, resolveIntents, freeCapacity, setLegacyNameLimits } = this.parts;
    const due = this.findDue();
    for (const backend of backends) {
      const keys = due.get(backend.id) ?? [];
      if (keys.length > 0) this.start(`settle ${backend.id}`, 0, () => expireAll(backend, keys));
      this.start(`tidy ${backend.id}`, CLEAN_UP_EVERY_MS, () => this.deleteIdle(backend));
    }
    for (const [i, opener] of recorders.entries()) {
      this.start(`open ${i}`, 0, () => opener.record());
      this.start(`prune ${i}`, CLEAN_UP_EVERY_MS, () => opener.prune());
    }
    this.start('intents', INTENTS_EVERY_MS, resolveIntents);
    this.start('grown', LEGACY_LIMITS_EVERY_MS, setLegacyNameLimits);
    this.start('room', CAPACITY_EVERY_MS, freeCapacity);
  }

  /** Whether this process does them, as far as it knows. */
  get isRunner(): boolean {
    return this.token !== null && this.parts.clock.monotonic() < this.leaseEndsAt;
  }

  /** Lets another process take over at once. */
  async stop(): Promise<void> {
    const { token } = this;
    this.token = null;
    await Promise.all(this.running.values());
    if (token === null) return;
    const release = { verb: 'release', ...this.identity(), token, request: null } as const;
    await this.controlBackend()
      ?.engine.run(MAINTENANCE_KEY, release)
      .catch(() => undefined);
  }

  private async keepLease(): Promise<void> {
    const home = this.controlBackend();
    if (!home) return;
    const self = this.identity();
    const askedAt = this.parts.clock.monotonic();
    if (askedAt >= this.leaseEndsAt) this.token = null;
    if (this.token !== null) {
      const renew = { verb: 'renew', ...self, token: this.token, leaseMs: LEASE_MS } as const;
      const { outcome } = await home.engine.run(MAINTENANCE_KEY, renew);
      if (outcome === 'renewed') this.leaseEndsAt = askedAt + LEASE_MS;
      if (outcome === 'renewed') return;
      this.token = null;
    }
    const answer = await home.engine.acquire(
      MAINTENANCE_KEY,
      {
        verb: 'acquire',
        ...self,
        leaseMs: LEASE_MS,
        waitMs: 0,
        mode: 'exclusive',
        reentrant: false,
        meta: {},
        request: anonymousRequest(),
      },
      { holdRequestMs: 0 },
    );
    if (answer.outcome !== 'granted') return;
    this.token = answer.token;
    this.leaseEndsAt = askedAt + LEASE_MS;
    for (const opener of this.parts.recorders) opener.restart();
  }

  /** Expired leases that no caller touches; now and then all queues, to find dead waiters. */
  private findDue(): Map<string, RecordKey[]> {
    const { projection, clock, backends } = this.parts;
    const instants = new Map(
      backends.map(({ id, engine }) => {
        const now = clock.now() + engine.health().clockOffsetMs;
        return [id, now - EXPIRED_FOR_MS];
      }),
    );
    const isQueuesTurn = this.isDue('queues', QUEUES_EVERY_MS);
    const found = new Map<string, RecordKey[]>();
    for (const { backend, key, expired } of projection.dueForExpiry(instants)) {
      if (!expired && !isQueuesTurn) continue;
      const keys = found.get(backend) ?? [];
      found.set(backend, keys);
      keys.push(key);
    }
    return found;
  }

  /** Deletes records that have long been free, and expired idempotency records. */
  private async deleteIdle(backend: MonitoredBackend): Promise<void> {
    const { store } = backend;
    let cursor: Cursor | null = { namespace: null, after: null };
    while (cursor) {
      const page = await store.scan(cursor, SCAN_PAGE);
      const isOwn = ({ key }: ReadRecord) => key.namespace === OWN_NAMESPACE;
      const ended = page.records.filter(isOwn).flatMap(endedHeartbeat);
      if (ended.length > 0) await store.deleteRecords(ended);
      const others = page.records.filter((read) => !isOwn(read));
      await deleteReadRecords(backend, others, IDLE_MS);
      cursor = page.next;
    }
    await store.deleteExpiredAnswers();
  }

  private controlBackend(): MonitoredBackend | undefined {
    return this.parts.backends.find(({ id }) => id === 'default');
  }

  private identity() {
    return { service: 'lockyard', owner: this.parts.processId };
  }

  private isDue(chore: string, everyMs: number): boolean {
    const now = this.parts.clock.monotonic();
    if (now - (this.doneAt.get(chore) ?? Number.NEGATIVE_INFINITY) < everyMs) return false;
    this.doneAt.set(chore, now);
    return true;
  }

  /**
   * Starts a chore unless it is not due yet or still running. A failure is logged and does not
   * affect the others.
   */
  private start(chore: string, everyMs: number, work: () => Promise<void>): void {
    if (this.running.has(chore) || !this.isDue(chore, everyMs)) return;
    const done = this.attempt(chore, work).finally(() => this.running.delete(chore));
    this.running.set(chore, done);
  }

  /**
   * Runs a chore. A failure is logged once, until it succeeds again: a store may be down all night.
   */
  private async attempt(chore: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.failing.delete(chore);
    } catch (err) {
      if (this.failing.has(chore)) return;
      this.failing.add(chore);
      this.parts.log.warn({ chore, err }, 'A chore fails; it is tried again until it does not.');
    }
  }
}

async function expireAll({ engine }: MonitoredBackend, keys: RecordKey[]): Promise<void> {
  await Promise.all(keys.map((key) => engine.run(key, { verb: 'settle' }).catch(() => undefined)));
}

/** A heartbeat that ended long ago. Lockyard's own locks stay. */
function endedHeartbeat({ key, record, now }: ReadRecord): ObsoleteRecord[] {
  if (!record || !key.name.startsWith('process/')) return [];
  const { rev, writer, head } = record;
  return now - Number(head) > DEAD_PROCESS_MS ? [{ key, rev, writer }] : [];
}
