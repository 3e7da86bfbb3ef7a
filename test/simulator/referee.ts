import type { CounterView } from '@/server/contract/counter';
import { isWithin } from '@/server/contract/counter-bounds';
import type { Mode, MultiLockMark } from '@/server/contract/primitives';
import type { CounterEvent } from '@/server/core/counter/counter-event';
import { leaseFloorMs } from '@/server/core/lock/hold-lifecycle';
import type { LockEvent } from '@/server/core/lock/lock-event';
import {
  type Hold,
  isReleased,
  type LockRecord,
  liveHolds,
  type Waiter,
} from '@/server/core/lock/lock-record';
import { ANSWER_RETENTION_MS } from '@/server/core/timing';
import { decodeCounter } from '@/server/storage/codec/counter-codec';
import { decodeRecord } from '@/server/storage/codec/record-codec';
import { recordId } from '@/server/storage/record-id';
import type { RecordKey } from '@/server/storage/record-store';
import { CancelReferee } from './cancel-referee';
import { DeletionReferee } from './deletion-referee';
import { LeastTimeReferee } from './least-time-referee';
import { LossReferee } from './loss-referee';
import { permitViolations } from './permit-referee';
import { ReadReferee } from './read-referee';
import { ReassignReferee } from './reassign-referee';
import { ReceivedReferee } from './received-referee';
import { ReleaseRequestReferee } from './release-request-referee';
import type { Deletion, SimDatabase, Step } from './sim-database';
import type { SimWorld } from './sim-world';

/**
 * The whole lifecycle of a hold in the database. Instants are by the clock that is never set,
 * except the end of the lease.
 */
export interface ObservedHold {
  owner: string;
  mode: Mode;
  /**
   * The end of its lease as last written, by the database's clock; 0 for a hold that began and
   * ended within one step.
   */
  expiresAt: number;
  /** How far that clock is ahead of the one that is never set. */
  aheadMs: number;
  /** When it was ended; null while it is in the record. */
  goneAt: number | null;
  grantedAt: number;
  /** Each end of its lease, by the clock that is never set, and when it was written. */
  leases: { writtenAt: number; endsAt: number }[];
  /** Whether it was granted too late to be used, so that its caller's request is decided again. */
  wasLate: boolean;
  /** When the store lost its memory of it; null while it never did. */
  lostAt: number | null;
}

/** How long an answer may be on its way. */
const HOP_MS = 100;

const ENDS: ReadonlySet<string> = new Set(['released', 'expired', 'forced', 'late']);

/** The ends of a hold after which the next grant may have to wait. */
const LOSSES: ReadonlySet<string> = new Set(['expired', 'forced']);

/**
 * Observes every step in the database. Immediately reports what must never happen: two live
 * exclusive holds, a falling token, a rev that restarts, a revived expired lease, a waiter that is
 * passed over, a grant of a frozen lock or too soon after a loss.
 */
export class Referee {
  readonly violations: string[] = [];
  readonly observedHolds = new Map<string, Map<number, ObservedHold>>();
  /** Each step of the counter, by its delta. */
  readonly counterSteps = new Map<number, CounterEvent>();
  /** The states of the counter, each since when by the clock that is never set. */
  private readonly counterStates: (CounterView & { since: number })[] = [];
  private readonly cancelled = new CancelReferee();
  /** How many locks of a set were granted at one instant, and how many the set has. */
  readonly multiLocks = new Map<string, { granted: number; size: number }>();
  /** The keys of all requests whose answer was ever stored. */
  readonly answeredRequests = new Set<string>();
  private readonly lastRev = new Map<string, number>();
  private readonly lastToken = new Map<string, number>();
  private readonly freeSince = new Map<string, number>();
  private readonly losses = new LossReferee();
  private readonly deletions = new DeletionReferee();
  private readonly leastTimes = new LeastTimeReferee();
  private readonly reassigned = new ReassignReferee();
  readonly reads = new ReadReferee();
  readonly received: ReceivedReferee;
  readonly releaseRequests = new ReleaseRequestReferee();
  /** Since when each existing record exists. */
  private readonly existsSince = new Map<string, number>();
  /** Since when each deleted record was free. */
  private readonly wasFreeFrom = new Map<string, number | null>();
  /** The first revs of each record: one at its creation and one after each deletion. */
  private readonly firstRevs = new Map<string, Set<number>>();

  /** @param lockDelayMs how long a lock is not granted after a hold on it was lost */
  constructor(
    private readonly world: SimWorld,
    private readonly lockDelayMs: number,
  ) {
    this.received = new ReceivedReferee(world);
    for (const database of world.databases) {
      database.onStep = (step) => this.observe(step, database);
      database.onDelete = (deletion) => this.observeDeletion(deletion, database);
      database.onRestore = () => this.observeRestore();
    }
  }

  /** Called with every step of a lock or counter that callers use. */
  onStep: (step: Step) => void = () => undefined;
  /** Further listeners, each for a while. */
  readonly stepListeners = new Set<(step: Step) => void>();
  /** Called with every lock that was deleted. */
  onDelete: (deletion: Deletion) => void = () => undefined;

  record(key: RecordKey): LockRecord | null {
    const [read] = this.world.databaseOf(key).read([key], []).records;
    return read?.record ? decodeRecord(read.record).record : null;
  }

  observedHold(key: RecordKey, token: number): ObservedHold | undefined {
    return this.observedHolds.get(recordId(key))?.get(token);
  }

  /** The tokens of all holds that a lock ever had, in the order of their grants. */
  tokensOf(key: RecordKey): number[] {
    return [...(this.observedHolds.get(recordId(key))?.keys() ?? [])];
  }

  /** The holds that are live by the database's clock, except those that the store has lost. */
  holdsOf(key: RecordKey): Hold[] {
    const live = liveHolds(this.record(key), this.now(key));
    return live.filter(({ token }) => (this.observedHold(key, token)?.lostAt ?? null) === null);
  }

  /** The live hold with this token, if there is one. */
  liveHold(key: RecordKey, token: number): Hold | undefined {
    return this.holdsOf(key).find((hold) => hold.token === token);
  }

  /** Whether the counter had this state at some instant since then. */
  wasCounter({ value, floor, ceiling }: CounterView, since: number): boolean {
    return this.counterStates.some(
      (state, i) =>
        (this.counterStates[i + 1]?.since ?? Number.POSITIVE_INFINITY) >= since &&
        state.value === value &&
        state.floor === floor &&
        state.ceiling === ceiling,
    );
  }

  /** Records that the acquire of this request was undone: it may neither wait nor hold any more. */
  markUndone(keys: readonly RecordKey[], requestKey: string): void {
    this.cancelled.add(requestKey);
    for (const key of keys) {
      const record = this.record(key);
      if (record) this.reportUndone(recordId(key), record);
    }
  }

  private reportUndone(id: string, record: LockRecord): void {
    for (const wrong of this.cancelled.violations(record)) this.report(`${id}: ${wrong}`);
  }

  /** Called when a holder's release was answered that the lock is free now. */
  answeredFree(key: RecordKey, token: number): void {
    if (!this.leastTimes.wasFreedTooSoon(recordId(key), token)) return;
    this.report(`${token} had a minimum hold time, and was freed by its release`);
  }

  /**
   * Called when the store has lost these locks: their holders may rely on their leases, and no
   * other caller may be granted them.
   */
  lose(keys: readonly RecordKey[]): void {
    for (const key of keys) {
      const id = recordId(key);
      this.losses.lose(id, this.instant(key), this.observedHolds.get(id)?.values() ?? []);
    }
  }

  /**
   * Since when any caller could have been granted the lock at its first attempt; off by as much as
   * the database's clock was set. Null: it is not available now.
   */
  freeFrom(key: RecordKey): number | null {
    const record = this.record(key);
    const id = recordId(key);
    if (record) return this.freeFromOf(key, record);
    const whenDeleted = this.wasFreeFrom.get(id);
    if (whenDeleted !== undefined) return whenDeleted;
    return this.losses.hasLost(id) ? null : Number.NEGATIVE_INFINITY;
  }

  private freeFromOf(key: RecordKey, record: LockRecord): number | null {
    const now = this.now(key);
    const { holds, queue, frozen, delayedUntil } = record;
    if (liveHolds(record, now).length > 0 || queue.length > 0 || frozen || delayedUntil > now) {
      return null;
    }
    const leaseEnds = holds.map(({ expiresAt }) => expiresAt);
    const { aheadMs } = this.world.databaseOf(key);
    const byItsClock = Math.max(delayedUntil, ...leaseEnds);
    return Math.max(this.freeSince.get(recordId(key)) ?? 0, byItsClock - aheadMs);
  }

  /** Whether this rev began the record, at first or after a deletion. */
  isFirstRev(key: RecordKey, rev: number): boolean {
    return this.firstRevs.get(recordId(key))?.has(rev) ?? false;
  }

  /**
   * Called when a name was refused because its namespace is full: that is allowed only if the name
   * had no record at some time since its caller asked.
   */
  refusedAsFull(key: RecordKey, startedAt: number): void {
    const since = this.existsSince.get(recordId(key));
    if (since !== undefined && since < startedAt) {
      this.report(`${key.name} exists, and was refused because its namespace is full`);
    }
  }

  /** The clock by which leases of this lock are counted. */
  now(key: RecordKey): number {
    return this.world.databaseOf(key).now();
  }

  private instant(key: RecordKey): number {
    return this.world.databaseOf(key).instant();
  }

  private observe(step: Step, database: SimDatabase): void {
    const { change, after } = step;
    if (change.key.namespace !== 'default') return;
    const id = recordId(change.key);
    if (this.world.databaseOf(change.key) !== database) {
      this.report(`${id} was written to the wrong shard`);
    }
    if (after.rev <= (this.lastRev.get(id) ?? 0))
      this.report(`${id}: rev ${after.rev} did not rise`);
    this.lastRev.set(id, after.rev);
    if (step.before === null) this.observeFirst(id, step);
    this.deletions.watch(id, step);
    for (const { key } of change.storedAnswers) this.answeredRequests.add(key);
    if (change.key.kind === 'counter') this.observeCounter(step);
    else this.observeLock(id, step);
    this.onStep(step);
    for (const listener of [...this.stepListeners]) listener(step);
  }

  private observeFirst(id: string, { change, after }: Step): void {
    const { crowd, processes } = this.world;
    const isJudged = crowd?.isAlone && processes.length === 1;
    if (isJudged && this.existsSince.size >= crowd.maxLocks) {
      this.report(`${id} exceeds the number of names that its namespace may have`);
    }
    this.existsSince.set(id, this.instant(change.key));
    this.wasFreeFrom.delete(id);
    // The step that creates the record can include several commands, each with its own rev.
    const first = Math.min(after.rev, ...change.events.map(({ rev }) => rev));
    this.firstRevs.set(id, (this.firstRevs.get(id) ?? new Set()).add(first));
  }

  private observeDeletion(deletion: Deletion, database: SimDatabase): void {
    const { key, before } = deletion;
    if (key.namespace !== 'default') return;
    const id = recordId(key);
    const answerUntil = (answer: string) => database.answerUntil(answer);
    const lastToken = this.lastToken.get(id) ?? 0;
    const found = this.deletions.violations(id, deletion, lastToken, answerUntil);
    for (const violation of found) this.report(violation);
    this.reads.replaced(id, null, this.instant(key));
    this.existsSince.delete(id);
    this.wasFreeFrom.set(id, this.freeFromOf(key, decodeRecord(before).record));
    this.onDelete(deletion);
  }

  private observeRestore(): void {
    for (const key of this.world.keys) {
      this.reads.replaced(recordId(key), this.record(key), this.instant(key));
    }
  }

  private observeCounter({ change, before, after }: Step): void {
    const { record } = decodeCounter(after);
    let value = before ? decodeCounter(before).record.value : null;
    const since = this.instant(change.key);
    for (const event of change.events as CounterEvent[]) {
      const { delta } = event;
      // One write can include several steps, and a refusal can name a value between them.
      this.counterStates.push({ ...record, ...event, since });
      if (delta === undefined) continue;
      // A request that was under way while time leapt is repeated after its answer has expired.
      const wasAnswered = event.at - (this.counterSteps.get(delta)?.at ?? 0) < ANSWER_RETENTION_MS;
      if (wasAnswered) this.report(`${delta} was added twice`);
      this.counterSteps.set(delta, event);
      if (value !== null) value += delta;
    }
    if (value !== null && value !== record.value) this.report(`a step of the counter was lost`);
    if (!isWithin(record.value, record)) this.report(`the counter is at ${record.value}`);
  }

  private observeLock(id: string, { change, before, after, at }: Step): void {
    const old = before ? decodeRecord(before).record : null;
    const { record } = decodeRecord(after);
    const live = liveHolds(record, at);
    if (live.length > 1 && live.some(({ mode }) => mode === 'exclusive')) {
      this.report(`${id}: ${live.map(({ token }) => token)} are live at the same time`);
    }
    const observed = this.observedHolds.get(id) ?? new Map<number, ObservedHold>();
    this.observedHolds.set(id, observed);
    const instant = this.instant(change.key);
    const { aheadMs } = this.world.databaseOf(change.key);
    const events = change.events as LockEvent[];
    this.observeClosed(id, old, events, at);
    const least = this.leastTimes.observe(id, { old, record, events, at });
    const permits = permitViolations({ old, record, events, at });
    const places = this.reassigned.violations(old, record, events);
    const requests = this.releaseRequests.violations(id, record, events, instant);
    const reads = this.reads.violations(id, record, at, instant);
    const received = this.received.violations(id, { record, events, at });
    const wrongs = [...least, ...permits, ...places, ...requests, ...reads, ...received];
    for (const wrong of wrongs) this.report(`${id}: ${wrong}`);
    this.reportUndone(id, record);
    const waiters = [...(old?.queue ?? []), ...record.queue];
    for (const event of events) {
      const isChosen = this.reassigned.isChosen(id, event, waiters);
      if (event.token === undefined) continue;
      const { token, owner, kind, mode = 'exclusive' } = event;
      if (kind === 'granted') {
        this.observeGrant(id, record, isChosen ? null : old, event, events);
        const wrong = this.losses.violation(id, { token, mode, at }, observed);
        if (wrong) this.report(`${id}: ${wrong}`);
        const since = { grantedAt: instant, leases: [], expiresAt: 0, aheadMs };
        observed.set(token, { owner, mode, ...since, goneAt: null, wasLate: false, lostAt: null });
      }
      const ended = observed.get(token);
      if (ended && ENDS.has(kind)) ended.goneAt = instant;
      if (ended && kind === 'late') ended.wasLate = true;
    }
    for (const { token, expiresAt, leaseMs, set } of record.holds) {
      const known = observed.get(token);
      if (set && known?.grantedAt === instant && known.expiresAt === 0)
        this.observeMultiLock(set, instant);
      if (!known) this.report(`${id}: token ${token} was never granted`);
      else if (known.goneAt !== null) this.report(`${id}: token ${token} is held again`);
      else if (known.expiresAt > 0 && known.expiresAt <= at && expiresAt > known.expiresAt) {
        this.report(`${id}: the expired lease of ${token} was revived`);
      } else if (expiresAt !== known.expiresAt) {
        known.expiresAt = expiresAt;
        known.leases.push({ writtenAt: instant, endsAt: expiresAt - aheadMs });
      }
      if (known?.grantedAt === instant && expiresAt - at < leaseFloorMs(leaseMs) + HOP_MS) {
        known.wasLate = true;
      }
    }
    this.losses.watch(id, events);
    this.lastToken.set(id, Math.max(record.lastToken, this.lastToken.get(id) ?? 0));
    this.freeSince.set(id, instant);
  }

  /**
   * Checks that no lock is granted while it is frozen or just after a loss: by the clock at the
   * time of the decision, if the clock was set back before the write.
   */
  private observeClosed(id: string, old: LockRecord | null, events: LockEvent[], at: number): void {
    let isFrozen = (old?.frozen ?? null) !== null;
    let quietUntil = old?.delayedUntil ?? 0;
    const given = new Set(old?.holds.filter(isReleased).map((hold) => hold.token));
    for (const { kind, at: decidedAt, token } of events) {
      if (kind === 'frozen' || kind === 'unfrozen') isFrozen = kind === 'frozen';
      if (kind === 'kept' && token !== undefined) given.add(token);
      const isLost = LOSSES.has(kind) && !given.has(token ?? 0);
      if (isLost) quietUntil = Math.max(quietUntil, decidedAt + this.lockDelayMs);
      if (kind !== 'granted') continue;
      if (isFrozen) this.report(`${id}: ${token} was granted though the lock is frozen`);
      if (quietUntil > Math.max(at, decidedAt))
        this.report(`${id}: ${token} was granted too soon after a loss`);
    }
  }

  private observeMultiLock({ id, size }: MultiLockMark, instant: number): void {
    const granted = this.multiLocks.get(`${id} ${instant}`)?.granted ?? 0;
    this.multiLocks.set(`${id} ${instant}`, { granted: granted + 1, size });
  }

  private observeGrant(
    id: string,
    record: LockRecord,
    old: LockRecord | null,
    grant: LockEvent,
    events: LockEvent[],
  ): void {
    const { token = 0, owner } = grant;
    const last = this.lastToken.get(id) ?? 0;
    if (token <= last) this.report(`${id}: token ${token} was granted after ${last}`);
    this.lastToken.set(id, Math.max(last, token));
    const ticket = old?.queue.find((waiter) => waiter.owner === owner)?.ticket;
    const offered = new Set(record.offers.map((offer) => offer.ticket));
    // An offer may be revoked later in the same swap, for example by a freeze.
    const later = events.slice(events.indexOf(grant));
    const wasOffered = (waiter: Waiter) =>
      old?.offers.some((offer) => offer.ticket === waiter.ticket) &&
      later.some((one) => one.kind === 'withdrawn' && one.owner === waiter.owner);
    const passed = record.queue.find(
      // A set that cannot have all of its locks yet may be passed over; any other waiter may not,
      // not even by a set.
      (waiter) =>
        waiter.ticket < (ticket ?? 0) &&
        !offered.has(waiter.ticket) &&
        waiter.setSize === undefined &&
        !wasOffered(waiter),
    );
    if (passed) this.report(`${id}: ticket ${ticket} passed over ${passed.ticket}`);
  }

  report(what: string): void {
    this.violations.push(what);
  }
}
