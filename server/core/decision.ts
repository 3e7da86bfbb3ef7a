import { LockyardError } from '../contract/errors';
import { LEASE_MAX_MS, type NamespacePolicy } from '../contract/namespace-policy';
import { append } from './append';
import { highestDeletedRev } from './fencing-token';
import type { AcquireCommand, LockCommand } from './lock/lock-command';
import type { EventKind, LockEvent } from './lock/lock-event';
import {
  copyOf,
  type Hold,
  type LockRecord,
  unwrittenRecord,
  type Waiter,
} from './lock/lock-record';
import { capacityOf } from './lock/permits';
import type { Party } from './party';
import { checkLockRecord } from './record-invariants';
import { type RequestIdentity, requestFingerprint } from './request-fingerprint';
import { ANSWER_RETENTION_MS } from './timing';

/** What a decision needs besides the record and the command. It reads nothing else. */
export interface DecisionContext {
  /** The backend's clock, epoch milliseconds: read with the record, or a lower bound of it. */
  now: number;
  /** The backend's epoch: see `nextToken`. */
  epoch: number;
  /** The process that decides. */
  process: string;
  /**
   * Whether another process is alive. The waiters of a dead process leave the queue together. A
   * process may have just started or resumed: it counts as dead only if a membership read begun
   * after the read of this record finds no recent heartbeat of it.
   */
  isAlive: (process: string) => boolean;
  /**
   * The acquire of a waiter of this process, if its caller is still connected: from before it is
   * decided until the grant, or until its detach, give-up or cancel has been written.
   */
  callerOf: (waiter: Waiter) => AcquireCommand | null;
  /** The answer stored for this command's request id, if any; read together with the record. */
  remembered: IdempotencyRecord | null;
  /** The policy of the lock's namespace, and the state of its backend. */
  policy: DecidingPolicy;
}

/** The rules of the lock's namespace and backend. */
export interface DecidingPolicy extends Pick<NamespacePolicy, 'queueLimit' | 'lockDelayMs'> {
  /**
   * After a restore: until this instant of the backend's clock a caller may still hold a lock that
   * the backup does not contain, so a lock without a record is not granted. Locks in the backup are
   * delayed by their own records.
   */
  grantsFrom?: number;
  /**
   * Why this backend currently grants nothing, as a sentence for callers; absent or null: it
   * grants. While set, no lock is granted and no new waiter is queued; renew, release, re-entry and
   * inspect work, waiters keep their places, and a request that was granted before still gets that
   * answer.
   */
  closedBecause?: string | null;
  /** Why new names are refused, as a sentence for callers; absent or null: they are not. */
  fullBecause?: string | null;
  /** How many names without a record still fit; absent: as many as one multi-lock may have. */
  roomForNames?: number;
}

/** The instants on which a decision relies. The store checks them atomically with the write. */
export interface Expectation {
  /** Decided as already past: the store's clock must have reached it. 0: none. */
  past: number;
  /** Decided as still ahead: the store's clock must not have reached it. Infinity: none. */
  ahead: number;
}

/** The answer to a request id, stored by the same write as the record; a later one replaces it. */
export interface IdempotencyRecord {
  key: string;
  /** Empty: the id matches with any input. */
  inputHash: string;
  /** Plain JSON: an answer of the command's verb. */
  answer: unknown;
  expiresAt: number;
}

/** Stored answers that must be kept longer. */
export interface IdempotencyExtension {
  keys: string[];
  expiresAt: number;
}

/** A grant to a waiter of this process, which is to answer it. */
export interface HandOff {
  tag: string;
  hold: Hold;
}

/**
 * What a command does to a record. `next` is null when nothing changes; then the lists are empty
 * too. It takes effect only once a store has swapped `next` in under `expect`.
 */
export interface Decision<A, R = LockRecord, E = LockEvent> {
  next: R | null;
  expect: Expectation;
  answer: A;
  events: E[];
  memos: IdempotencyRecord[];
  extensions: IdempotencyExtension[];
  handOffs: HandOff[];
}

/** How far beyond a lease's end its answers are kept, so that renewals rarely extend them. */
export const RETENTION_AHEAD_MS = 30 * 60_000;

/** No answer is kept for longer than this after it was stored or extended. */
export const ANSWERS_MAX_MS = LEASE_MAX_MS + RETENTION_AHEAD_MS + ANSWER_RETENTION_MS;

/** The caller that an event concerns, and its permits; holds and waiters have these fields. */
type EventParty = Party & { permits?: number };

/**
 * A decision in progress: a private copy of the record, and what must be written with it. Every
 * comparison of a deadline with the clock goes through `isPast`, so that the store can repeat it.
 */
export class Draft {
  readonly record: LockRecord;
  private readonly before: LockRecord | null;
  events: LockEvent[] = [];
  readonly memos: IdempotencyRecord[] = [];
  readonly extensions: IdempotencyExtension[] = [];
  readonly handOffs: HandOff[] = [];
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
    if (record === null) this.isPast(context.policy.grantsFrom ?? 0);
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
    if (deadline <= this.now) {
      this.past = Math.max(this.past, deadline);
      return true;
    }
    this.ahead = Math.min(this.ahead, deadline);
    return false;
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
    this.memos.push({ key, inputHash, answer, expiresAt });
    this.keepForAnswers(expiresAt);
  }

  /** Records that the store keeps answers until then: the record is not deleted sooner. */
  keepForAnswers(until: number): void {
    this.record.answersUntil = Math.max(this.record.answersUntil ?? 0, until);
  }

  /** The stored answer to this request, if any. Throws `INVALID` if its input was another. */
  replay<A>(request: RequestIdentity | null): A | null {
    return replayedAnswer<A>(this.context.remembered, request, this.now);
  }

  /**
   * Ends the draft, which must not be used afterwards. Throws `BACKEND_DOWN` for a change after the
   * command's `latestAt`, and `BrokenInvariant`.
   */
  finish<A>(answer: A): Decision<A> {
    const { events, memos, extensions, handOffs, command } = this;
    const latestAt = 'latestAt' in command ? command.latestAt : undefined;
    if (this.changed && latestAt !== undefined && this.isPast(latestAt)) throw actTooLate();
    const expect = { past: this.past, ahead: this.ahead };
    if (this.changed) {
      this.record.rev = this.rev;
      this.record.capacity = capacityOf(this.record);
      checkLockRecord(this.before, this.record, this.context.policy.queueLimit);
    }
    const next = this.changed ? this.record : null;
    return { next, expect, answer, events, memos, extensions, handOffs };
  }
}

/** How soon a caller may ask a closed backend again. */
const CLOSED_RETRY_MS = 5_000;

/** Throws `BACKEND_DOWN` while the backend grants nothing. */
export function refuseWhileClosed({ closedBecause }: Pick<DecidingPolicy, 'closedBecause'>): void {
  if (!closedBecause) return;
  throw new LockyardError('BACKEND_DOWN', closedBecause, { retryAfterMs: CLOSED_RETRY_MS });
}

/** How soon to retry with a new name: `NamespaceCapacity` makes room every few seconds. */
const FULL_RETRY_MS = 5_000;

/** Throws `NAMESPACE_FULL` when there is no room for a name without a record. */
export function refuseNewWhileFull({ fullBecause }: Pick<DecidingPolicy, 'fullBecause'>): void {
  if (fullBecause) throw namespaceFull(fullBecause);
}

export const namespaceFull = (because: string) =>
  new LockyardError('NAMESPACE_FULL', because, { retryAfterMs: FULL_RETRY_MS });

/** The answer record in `memo` if it is for the id of this request, whatever its input was. */
export function storedFor(
  memo: IdempotencyRecord | null,
  request: RequestIdentity | null,
  now: number,
): IdempotencyRecord | null {
  const isMatch = request?.remembered && memo?.key === request.key && memo.expiresAt > now;
  return isMatch ? memo : null;
}

/** The answer in `memo` if it is for this request. Throws `INVALID` if its input was another. */
export function replayedAnswer<A>(
  memo: IdempotencyRecord | null,
  request: RequestIdentity | null,
  now: number,
): A | null {
  const stored = storedFor(memo, request, now);
  if (!stored) return null;
  const { inputHash } = stored;
  if (inputHash !== '' && inputHash !== request?.inputHash) throw requestIdReused();
  return stored.answer as A;
}

/** The refusal after `latestAt`: the audit log may already say that the action was not applied. */
export function actTooLate(): LockyardError {
  const text = 'This took too long to begin. Nothing was changed; try again.';
  return new LockyardError('BACKEND_DOWN', text, { retryAfterMs: 1_000 });
}

export function requestIdReused(): LockyardError {
  return new LockyardError('INVALID', 'This requestId was used before with another input.');
}
