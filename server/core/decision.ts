import { LockyardError } from '../contract/errors';
import { LEASE_MAX_MS, type NamespacePolicy } from '../contract/namespace-policy';
import type { AcquireCommand } from './lock/lock-command';
import type { LockEvent } from './lock/lock-event';
import type { Hold, LockRecord, Waiter } from './lock/lock-record';
import type { RequestIdentity } from './request-fingerprint';
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
  /**
   * The backend's clock when it was last seen to have been set forward: an offer made before then
   * has its whole time again. Absent or 0: it was not.
   */
  setForwardAt?: number;
  /** The answer stored for this command's request id, if any; read together with the record. */
  storedAnswer: IdempotencyRecord | null;
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
  storedAnswers: IdempotencyRecord[];
  extensions: IdempotencyExtension[];
  handOffs: HandOff[];
  /** The tags of waiters of this process that timed out: it is to answer their calls. */
  timeouts: string[];
}

/** How far beyond a lease's end its answers are kept, so that renewals rarely extend them. */
export const RETENTION_AHEAD_MS = 30 * 60_000;

/** No answer is kept for longer than this after it was stored or extended. */
export const ANSWERS_MAX_MS = LEASE_MAX_MS + RETENTION_AHEAD_MS + ANSWER_RETENTION_MS;

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

/** This record if it is for the id of this request, whatever its input was; otherwise null. */
export function storedFor(
  record: IdempotencyRecord | null,
  request: RequestIdentity | null,
  now: number,
): IdempotencyRecord | null {
  const isMatch = request?.remembered && record?.key === request.key && record.expiresAt > now;
  return isMatch ? record : null;
}

/**
 * The answer in this record if it is for this request; otherwise null. Throws `INVALID` if its
 * input was another.
 */
export function replayedAnswer<A>(
  record: IdempotencyRecord | null,
  request: RequestIdentity | null,
  now: number,
): A | null {
  const stored = storedFor(record, request, now);
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
  const text = 'This requestId was used before with another input: use a new one for each request.';
  return new LockyardError('INVALID', text);
}
