import { IDLE_MS } from '../../core/names/deletion';
import { OWN_NAMESPACE } from '../../engine/membership';
import { anonymousRequest } from '../../engine/request-identity';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import type { Cursor, Obsolete, ReadRecord, RecordKey } from '../../storage/record-store';
import type { HistoryOpener } from '../history/event-recorder';
import { deleteRead } from '../names/delete-records';
import type { LockBoard, ObservedBackend } from '../projection/lock-projection';

const CHORES_KEY = { namespace: OWN_NAMESPACE, name: 'chores' };
const LEASE_MS = 1_500;
const RENEW_EVERY_MS = 400;
const QUEUES_EVERY_MS = 1_000;
/**
 * A lease that expired less than this ago is left to the next caller, who cleans it up while
 * acquiring.
 */
const LAPSED_FOR_MS = 800;
const TIDY_EVERY_MS = 10 * 60_000;
const INTENTS_EVERY_MS = 10_000;
const ROOM_EVERY_MS = 5_000;
const GROWN_EVERY_MS = 2_000;
const DEAD_PROCESS_MS = 60 * 60_000;
const FORGET_AT_ONCE = 200;

export interface ChoresParts {
  backends: ObservedBackend[];
  board: Pick<LockBoard, 'due'>;
  openers: Pick<HistoryOpener, 'open' | 'prune' | 'restart'>[];
  clock: Clock;
  log: Log;
  processId: string;
  /** Closes audit intents whose outcome was never written. */
  resolveIntents: () => Promise<void>;
  /** Makes room for new names, and warns where it gets short. */
  makeRoom: () => Promise<void>;
  /** Decides what namespaces may have that had more names than there may be now. */
  countGrown: () => Promise<void>;
}

/**
 * Maintenance that one process does for all: the one that holds Lockyard's own chores lock on the
 * control database's backend. Every chore is safe to repeat, so a moment with two processes running
 * it does no harm.
 */
export class Chores {
  private token: number | null = null;
  /**
   * When the lease is surely over, on the monotonic clock: from then on another process may have
   * the lock.
   */
  private leaseEndsAt = 0;
  private readonly doneAt = new Map<string, number>();
  private readonly underWay = new Map<string, Promise<void>>();
  /** Chores that failed when they were last done. */
  private readonly failing = new Set<string>();

  constructor(private readonly parts: ChoresParts) {}

  /**
   * Takes or keeps the lock, and begins what is due. What one backend keeps waiting holds up no
   * other.
   */
  async turn(): Promise<void> {
    if (this.isDue('lease', RENEW_EVERY_MS)) await this.tried('lease', () => this.keepLease());
    if (this.token === null) return;
    const { backends, openers, resolveIntents, makeRoom, countGrown } = this.parts;
    const due = this.dueByBackend();
    for (const backend of backends) {
      const keys = due.get(backend.id) ?? [];
      if (keys.length > 0) this.begin(`settle ${backend.id}`, 0, () => settleAll(backend, keys));
      this.begin(`tidy ${backend.id}`, TIDY_EVERY_MS, () => this.forgetIdle(backend));
    }
    for (const [i, opener] of openers.entries()) {
      this.begin(`open ${i}`, 0, () => opener.open());
      this.begin(`prune ${i}`, TIDY_EVERY_MS, () => opener.prune());
    }
    this.begin('intents', INTENTS_EVERY_MS, resolveIntents);
    this.begin('grown', GROWN_EVERY_MS, countGrown);
    this.begin('room', ROOM_EVERY_MS, makeRoom);
  }

  /** Whether this process does them, as far as it knows. */
  get isMine(): boolean {
    return this.token !== null && this.parts.clock.monotonic() < this.leaseEndsAt;
  }

  /** Lets another process take over at once. */
  async stop(): Promise<void> {
    const { token } = this;
    this.token = null;
    await Promise.all(this.underWay.values());
    if (token === null) return;
    const release = { verb: 'release', ...this.self(), token, request: null } as const;
    await this.home()
      ?.engine.run(CHORES_KEY, release)
      .catch(() => undefined);
  }

  private async keepLease(): Promise<void> {
    const home = this.home();
    if (!home) return;
    const self = this.self();
    const askedAt = this.parts.clock.monotonic();
    if (askedAt >= this.leaseEndsAt) this.token = null;
    if (this.token !== null) {
      const renew = { verb: 'renew', ...self, token: this.token, leaseMs: LEASE_MS } as const;
      const { outcome } = await home.engine.run(CHORES_KEY, renew);
      if (outcome === 'renewed') this.leaseEndsAt = askedAt + LEASE_MS;
      if (outcome === 'renewed') return;
      this.token = null;
    }
    const answer = await home.engine.acquire(
      CHORES_KEY,
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
    for (const opener of this.parts.openers) opener.restart();
  }

  /** Expired leases that no caller touches; now and then all queues, to find dead waiters. */
  private dueByBackend(): Map<string, RecordKey[]> {
    const { board, clock, backends } = this.parts;
    const instants = new Map(
      backends.map(({ id, engine }) => {
        const now = clock.now() + engine.health().clockOffsetMs;
        return [id, now - LAPSED_FOR_MS];
      }),
    );
    const isQueuesTurn = this.isDue('queues', QUEUES_EVERY_MS);
    const found = new Map<string, RecordKey[]>();
    for (const { backend, key, lapsed } of board.due(instants)) {
      if (!lapsed && !isQueuesTurn) continue;
      const keys = found.get(backend) ?? [];
      found.set(backend, keys);
      keys.push(key);
    }
    return found;
  }

  /** Deletes records that have long been free, and expired idempotency records. */
  private async forgetIdle(backend: ObservedBackend): Promise<void> {
    const { store } = backend;
    let cursor: Cursor | null = { namespace: null, after: null };
    while (cursor) {
      const page = await store.scan(cursor, FORGET_AT_ONCE);
      const isOwn = ({ key }: ReadRecord) => key.namespace === OWN_NAMESPACE;
      await store.forget(page.records.filter(isOwn).flatMap(deadProcess));
      const others = page.records.filter((read) => !isOwn(read));
      await deleteRead(backend, others, IDLE_MS);
      cursor = page.next;
    }
  }

  private home(): ObservedBackend | undefined {
    return this.parts.backends.find(({ id }) => id === 'default');
  }

  private self() {
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
  private begin(chore: string, everyMs: number, work: () => Promise<void>): void {
    if (this.underWay.has(chore) || !this.isDue(chore, everyMs)) return;
    const done = this.tried(chore, work).finally(() => this.underWay.delete(chore));
    this.underWay.set(chore, done);
  }

  /**
   * Runs a chore. A failure is logged once, until it succeeds again: a store may be down all night.
   */
  private async tried(chore: string, work: () => Promise<void>): Promise<void> {
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

async function settleAll({ engine }: ObservedBackend, keys: RecordKey[]): Promise<void> {
  await Promise.all(keys.map((key) => engine.run(key, { verb: 'settle' }).catch(() => undefined)));
}

/** A heartbeat that ended long ago. Lockyard's own locks stay. */
function deadProcess({ key, record, now }: ReadRecord): Obsolete[] {
  if (!record || !key.name.startsWith('process/')) return [];
  const { rev, writer, head } = record;
  return now - Number(head) > DEAD_PROCESS_MS ? [{ key, rev, writer }] : [];
}
