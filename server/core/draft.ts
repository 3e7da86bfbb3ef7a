import { append } from './append';
import {
  ANSWERS_MAX_MS,
  actTooLate,
  type Decision,
  type DecisionContext,
  type HandOff,
  type IdempotencyExtension,
  type IdempotencyRecord,
  refuseNewWhileFull,
  refuseWhileClosed,
  replayedAnswer,
} from './decision';
import { highestDeletedRev } from './fencing-token';
import type { AcquireCommand, LockCommand } from './lock/lock-command';
import type { EventKind, LockEvent } from './lock/lock-event';
import { copyOf, type LockRecord, unwrittenRecord, type Waiter } from './lock/lock-record';
import { capacityOf } from './lock/permits';
import type { Party } from './party';
import { checkLockRecord } from './record-invariants';
import { type RequestIdentity, requestFingerprint } from './request-fingerprint';
import { ANSWER_RETENTION_MS } from './timing';

/** The caller that an event concerns, and its permits; holds and waiters have these fields. */
type EventParty = Party & { permits?: number };

/**
 * A decision in progress: a private copy of the record, and what must be written with it. Every
 * comparison of a deadline with the clock goes through `isPast` or `relyOn`, so that the store can
 * repeat it.
 */
export class Draft {
  readonly record: LockRecord;
  private readonly before: LockRecord | null;
  events: LockEvent[] = [];
  readonly storedAnswers: IdempotencyRecord[] = [];
  readonly extensions: IdempotencyExtension[] = [];
  readonly handOffs: HandOff[] = [];
  readonly timeouts: string[] = [];
  private past = 0;
  private ahead = Number.POSITIVE_INFINITY;
  private changed = false;

  constructor(
    record: LockRecord | null,
    private readonly command: LockCommand,
    readonly context: DecisionContext,
  ) {
    this.before = record;
    this.record = record ? copyOf(record) : unwrittenRecord(context.now, context.policy.grantsFrom);
    if (record === null) this.relyOn(context.policy.grantsFrom ?? 0);
    this.record.answersUntil ??= context.now + ANSWERS_MAX_MS;
  }

  get now(): number {
    return this.context.now;
  }

  /** The rev of the record that this decision writes, if it changes anything. */
  get rev(): number {
    return this.record.rev + 1;
  }

  /** The rev of the lock after this decision; 0 if it was never written. */
  get currentRev(): number {
    if (this.changed) return this.rev;
    return this.before !== null ? this.record.rev : 0;
  }

  /** Whether the record was read before it reached this rev; a deleted record did reach it. */
  isFromBefore(rev: number): boolean {
    const isDeleted = this.before === null && rev <= highestDeletedRev(this.now);
    return rev > this.currentRev && !isDeleted;
  }

  /** Whether the backend's clock has reached `deadline`; the store checks the same on the write. */
  isPast(deadline: number): boolean {
    this.relyOn(deadline);
    return deadline <= this.now;
  }

  /** Lets the store check on the write that its clock is on this side of `deadline` too. */
  relyOn(deadline: number): void {
    if (deadline <= this.now) this.past = Math.max(this.past, deadline);
    else this.ahead = Math.min(this.ahead, deadline);
  }

  /** The acquire of a waiter of this process, if its caller is connected or sends this command. */
  callerOf(waiter: Waiter): AcquireCommand | null {
    const { command, context } = this;
    if (command.verb === 'acquire' && waiter.tag === requestFingerprint(command.request))
      return command;
    return context.callerOf(waiter);
  }

  /** Throws `BACKEND_DOWN` while the backend grants nothing. */
  refuseWhileClosed(): void {
    refuseWhileClosed(this.context.policy);
  }

  /** Throws `NAMESPACE_FULL` for a name without a record when the namespace has no room for one. */
  refuseNewWhileFull(): void {
    if (this.before === null && !this.changed) refuseNewWhileFull(this.context.policy);
  }

  /** Replaces parts of the record. Arrays are never mutated: the old record may be cached. */
  change(part: Partial<Omit<LockRecord, 'rev'>>): void {
    Object.assign(this.record, part);
    this.changed = true;
  }

  /** Adds an event to the history. */
  addEvent(kind: EventKind, party: EventParty, facts: Partial<LockEvent> = {}): void {
    const { service, owner, permits } = party;
    const event: LockEvent = { kind, at: this.now, rev: this.rev, service, owner, ...facts };
    if (permits !== undefined) event.permits = permits;
    this.events = append(this.events, [event]);
  }

  /**
   * Stores the answer to a request that has an id, for at least `ANSWER_RETENTION_MS` beyond
   * `until`.
   */
  remember(request: RequestIdentity | null, answer: unknown, until: number): void {
    if (!request?.remembered) return;
    const { key, inputHash } = request;
    const expiresAt = until + ANSWER_RETENTION_MS;
    this.storedAnswers.push({ key, inputHash, answer, expiresAt });
    this.keepForAnswers(expiresAt);
  }

  /** Records that the store keeps answers until then: the record is not deleted sooner. */
  keepForAnswers(until: number): void {
    this.record.answersUntil = Math.max(this.record.answersUntil ?? 0, until);
  }

  /** The stored answer to this request, if any. Throws `INVALID` if its input was another. */
  replay<A>(request: RequestIdentity | null): A | null {
    return replayedAnswer<A>(this.context.storedAnswer, request, this.now);
  }

  /**
   * Ends the draft, which must not be used afterwards. Throws `BACKEND_DOWN` for a change after the
   * command's `latestAt`, and `BrokenInvariant`.
   */
  finish<A>(answer: A): Decision<A> {
    const { events, storedAnswers, extensions, handOffs, timeouts, command } = this;
    const latestAt = 'latestAt' in command ? command.latestAt : undefined;
    if (this.changed && latestAt !== undefined && this.isPast(latestAt)) throw actTooLate();
    const expect = { past: this.past, ahead: this.ahead };
    if (this.changed) {
      this.record.rev = this.rev;
      this.record.capacity = capacityOf(this.record);
      checkLockRecord(this.before, this.record, this.context.policy.queueLimit);
    }
    const next = this.changed ? this.record : null;
    return { next, expect, answer, events, storedAnswers, extensions, handOffs, timeouts };
  }
}
