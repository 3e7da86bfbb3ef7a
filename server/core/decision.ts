import { LockyardError } from '../contract/errors';
import { LEASE_MAX_MS, type NamespacePolicy } from '../contract/namespace-policy';
import { highestDeletedRev } from './fencing-token';
import { joined } from './joined';
import type { AcquireCommand, LockCommand } from './lock/lock-command';
import type { EventKind, LockEvent } from './lock/lock-event';
import {
  copyOf,
  type Hold,
  type LockRecord,
  unwrittenRecord,
  type Waiter,
} from './lock/lock-record';
import { type RequestIdentity, requestTag } from './request-tag';

/** What deciding needs to know besides the record and the command. Everything comes in; nothing is looked up. */
export interface DecisionContext {
  /** The backend's clock, epoch milliseconds: read with the record, or a lower bound of it. */
  now: number;
  /** The backend's epoch: see `nextToken`. */
  epoch: number;
  /** The process that decides. */
  process: string;
  /**
   * Whether another process is alive. Waiters of a dead one leave the queue together. One that nothing is known of may
   * have just begun: it is dead only if a look begun after this record was read finds no sign of life.
   */
  isAlive: (process: string) => boolean;
  /**
   * What a waiter of this process asked for, if its caller is still on the line: from before its acquire is decided
   * until it is granted, or its detaching, giving up or cancelling has been written.
   */
  callerOf: (waiter: Waiter) => AcquireCommand | null;
  /** The answer remembered for this command's request id, if any; read as of the same instant as the record. */
  remembered: Memo | null;
  /** What the lock's namespace allows. */
  policy: DecidingPolicy;
}

/** What decisions need to know of where a lock lives. */
export interface DecidingPolicy extends Pick<NamespacePolicy, 'queueLimit' | 'lockDelayMs'> {
  /**
   * After a restored backup: until this instant of the backend's clock somebody may hold a lock that the backup knows
   * nothing of, so none that is not found is granted. Those that were found are delayed by their records.
   */
  grantsFrom?: number;
  /**
   * Why this backend grants nothing at the moment, as a sentence for callers; absent or null: it does. Then nobody is
   * granted a lock and nobody new may wait, while renew, release, re-entering and looking go on, those who wait keep their
   * places, and a request that was granted before is told so.
   */
  closedBecause?: string | null;
  /** Why a name without a record is refused, as a sentence for callers; absent or null: there is room for it. */
  fullBecause?: string | null;
}

/** The instants on which a decision rests. The store tests them in the same atomic step as the write. */
export interface Expectation {
  /** Taken as already past: the store's clock must have reached it. 0: none. */
  past: number;
  /** Taken as still ahead: the store's clock must not have reached it. Infinity: none. */
  ahead: number;
}

/** The answer to a request id, kept beside the record by the same write; a later one replaces it. */
export interface Memo {
  key: string;
  /** Empty: known for its id alone, so that any input will do. */
  inputHash: string;
  /** Plain JSON: an answer of the command's verb. */
  answer: unknown;
  expiresAt: number;
}

/** Remembered answers that must live longer. */
export interface MemoExtension {
  keys: string[];
  expiresAt: number;
}

/** A grant made by this decision, for the caller that this process must answer. */
export interface HandOff {
  tag: string;
  hold: Hold;
}

/**
 * What a command does to a record. `next` is null when nothing changes; then the other lists are empty too.
 * Nothing of it is true until a store has swapped `next` in under `expect`.
 */
export interface Decision<A, R = LockRecord, E = LockEvent> {
  next: R | null;
  expect: Expectation;
  answer: A;
  events: E[];
  memos: Memo[];
  extensions: MemoExtension[];
  handOffs: HandOff[];
}

/** How long answers are remembered after what they changed is over. */
export const REMEMBER_MS = 15 * 60_000;

/** How far answers are kept beyond the first end of a lease, so that renewals rarely have to prolong them. */
export const KEEP_AHEAD_MS = 30 * 60_000;

/** No answer is remembered for longer than this after it was given or prolonged. */
export const ANSWERS_MAX_MS = LEASE_MAX_MS + KEEP_AHEAD_MS + REMEMBER_MS;

/** Who an event is about; a hold and a waiter both fit. */
type Party = { service: string; owner: string };

/**
 * A decision being made: a private copy of the record, and what must be written with it.
 * Every comparison of a deadline with the clock goes through `isPast`, so that the store can repeat it.
 */
export class Draft {
  readonly record: LockRecord;
  private readonly isWritten: boolean;
  events: LockEvent[] = [];
  readonly memos: Memo[] = [];
  readonly extensions: MemoExtension[] = [];
  readonly handOffs: HandOff[] = [];
  private past = 0;
  private ahead = Number.POSITIVE_INFINITY;
  private changed = false;

  constructor(
    record: LockRecord | null,
    private readonly command: LockCommand,
    readonly context: DecisionContext,
  ) {
    this.isWritten = record !== null;
    this.record = record ? copyOf(record) : unwrittenRecord(context.now, context.policy.grantsFrom);
    this.record.answersUntil ??= context.now + ANSWERS_MAX_MS;
  }

  get now(): number {
    return this.context.now;
  }

  /** The rev that this decision makes, if it changes anything. */
  get rev(): number {
    return this.record.rev + 1;
  }

  /** The rev of the lock as this decision leaves it; 0 while it was never written. */
  get standingRev(): number {
    if (this.changed) return this.rev;
    return this.isWritten ? this.record.rev : 0;
  }

  /** Whether the record was read before it had this rev; one that was deleted since had it. */
  isFromBefore(rev: number): boolean {
    const isDeleted = !this.isWritten && rev <= highestDeletedRev(this.now);
    return rev > this.standingRev && !isDeleted;
  }

  /** Whether the backend's clock has reached `deadline`; the store will test the same. */
  isPast(deadline: number): boolean {
    if (deadline <= this.now) {
      this.past = Math.max(this.past, deadline);
      return true;
    }
    this.ahead = Math.min(this.ahead, deadline);
    return false;
  }

  /** What a waiter of this process asked for, if its caller is on the line, or is the one who asks just now. */
  callerOf(waiter: Waiter): AcquireCommand | null {
    const { command, context } = this;
    if (command.verb === 'acquire' && waiter.tag === requestTag(command.request)) return command;
    return context.callerOf(waiter);
  }

  /** Throws `BACKEND_DOWN` where the backend grants nothing at the moment. */
  refuseWhileClosed(): void {
    refuseWhileClosed(this.context.policy);
  }

  /** Throws `NAMESPACE_FULL` for a name that has no record where there is no room for one. */
  refuseNewWhileFull(): void {
    if (!this.isWritten && !this.changed) refuseNewWhileFull(this.context.policy);
  }

  /** Replaces parts of the record. Arrays are replaced, never mutated: the old record may be remembered elsewhere. */
  change(part: Partial<Omit<LockRecord, 'rev'>>): void {
    Object.assign(this.record, part);
    this.changed = true;
  }

  /** Writes a line of history. */
  note(kind: EventKind, party: Party, facts: Partial<LockEvent> = {}): void {
    const { service, owner } = party;
    const event = { kind, at: this.now, rev: this.rev, service, owner, ...facts };
    this.events = joined(this.events, [event]);
  }

  /** Keeps an answer for a request whose caller named it, at least until `until` and `REMEMBER_MS` beyond. */
  remember(request: RequestIdentity | null, answer: unknown, until: number): void {
    if (!request?.remembered) return;
    const { key, inputHash } = request;
    const expiresAt = until + REMEMBER_MS;
    this.memos.push({ key, inputHash, answer, expiresAt });
    this.keepForAnswers(expiresAt);
  }

  /** Answers that concern this record are kept until then: it is not deleted sooner. */
  keepForAnswers(until: number): void {
    this.record.answersUntil = Math.max(this.record.answersUntil ?? 0, until);
  }

  /** The remembered answer to this very request. The same id with another input is refused. */
  recall<A>(request: RequestIdentity | null): A | null {
    return recallAnswer<A>(this.context.remembered, request, this.now);
  }

  /**
   * Hands the record over: nothing may be asked of this draft any more. Throws `BACKEND_DOWN` for a change by an act whose
   * latest instant is past.
   */
  finish<A>(answer: A): Decision<A> {
    const { events, memos, extensions, handOffs, command } = this;
    const latestAt = 'latestAt' in command ? command.latestAt : undefined;
    if (this.changed && latestAt !== undefined && this.isPast(latestAt)) throw actTooLate();
    const expect = { past: this.past, ahead: this.ahead };
    if (this.changed) this.record.rev = this.rev;
    const next = this.changed ? this.record : null;
    return { next, expect, answer, events, memos, extensions, handOffs };
  }
}

/** How soon a caller may ask a closed backend again. */
const CLOSED_RETRY_MS = 5_000;

/** Throws `BACKEND_DOWN` where the backend grants nothing at the moment. */
export function refuseWhileClosed({ closedBecause }: Pick<DecidingPolicy, 'closedBecause'>): void {
  if (!closedBecause) return;
  throw new LockyardError('BACKEND_DOWN', closedBecause, { retryAfterMs: CLOSED_RETRY_MS });
}

/** How soon a caller may ask again for a new name: room is made every few seconds, see `NamespaceRoom`. */
const FULL_RETRY_MS = 5_000;

/** Throws `NAMESPACE_FULL` where there is no room for a name without a record. */
export function refuseNewWhileFull({ fullBecause }: Pick<DecidingPolicy, 'fullBecause'>): void {
  if (!fullBecause) return;
  throw new LockyardError('NAMESPACE_FULL', fullBecause, { retryAfterMs: FULL_RETRY_MS });
}

/** The answer that `memo` keeps for this very request. The same id with another input is refused. */
export function recallAnswer<A>(
  memo: Memo | null,
  request: RequestIdentity | null,
  now: number,
): A | null {
  if (!request?.remembered || !memo || memo.key !== request.key || memo.expiresAt <= now) {
    return null;
  }
  if (memo.inputHash !== '' && memo.inputHash !== request.inputHash) throw requestIdReused();
  return memo.answer as A;
}

/** The audit log may have been told already that this act was not done: from now on it must not be. */
export function actTooLate(): LockyardError {
  const text = 'This took too long to begin. Nothing was changed; try again.';
  return new LockyardError('BACKEND_DOWN', text, { retryAfterMs: 1_000 });
}

export function requestIdReused(): LockyardError {
  return new LockyardError('INVALID', 'This requestId was used before with another input.');
}
