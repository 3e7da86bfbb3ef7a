import { LockyardError } from '../contract/errors';
import { describeUnreadable } from '../storage/codec/unreadable-record';
import { StoreError } from '../storage/record-store';

/** @param cause the message contains the store's own reason if this is a `StoreError` with one */
export function backendDown(cause: unknown): LockyardError {
  const refusal = cause instanceof StoreError ? cause.refusal : null;
  const text = `${refusal ?? 'The backend is not responding.'} Nothing was changed.`;
  return new LockyardError('BACKEND_DOWN', text, { cause, retryAfterMs: 1_000 });
}

export function unknownOutcome(cause: unknown): LockyardError {
  const text = 'The backend did not confirm in time. The change may have been applied.';
  return new LockyardError('UNKNOWN', text, { cause });
}

/** The error for a call that may have changed something: never one that does not say so. */
export function unknownIfDenied(error: unknown): unknown {
  const isDenial = error instanceof LockyardError && NOT_UNKNOWN.has(error.reason);
  return isDenial ? unknownOutcome(error) : error;
}

/** The reasons that say that nothing was changed, and the one that says nothing about that. */
const NOT_UNKNOWN: ReadonlySet<string> = new Set([
  'BACKEND_DOWN',
  'CONTENDED',
  'TOO_LARGE',
  'INTERNAL',
]);

/** The error for a command that a fault of Lockyard kept from being run. */
export function notRun(cause: unknown): LockyardError {
  return new LockyardError('INTERNAL', 'This command could not be run.', { cause });
}

/** The error for a command whose swap failed: a store throws only `StoreError`. */
export function swapFailed(cause: unknown): LockyardError {
  return cause instanceof StoreError ? backendDown(cause) : notRun(cause);
}

/** Whether a command failed because of a fault of Lockyard, even if it looks like its store's. */
export function isOwnFault(error: LockyardError): boolean {
  const { reason } = error;
  const isOfStore = reason === 'BACKEND_DOWN' || reason === 'UNKNOWN';
  return reason === 'INTERNAL' || (isOfStore && isProgrammingError(error));
}

/** Whether an error, or one of its causes, is one that only faulty code throws. */
export function isProgrammingError(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < CAUSES_MAX; depth += 1) {
    if (PROGRAMMING_ERRORS.some((type) => cause instanceof type)) return true;
    cause = cause.cause;
  }
  return false;
}

const CAUSES_MAX = 8;
const PROGRAMMING_ERRORS = [TypeError, RangeError, ReferenceError];

/** Whether a command that failed in this way can succeed later. */
export function isTransient(error: unknown): boolean {
  return error instanceof LockyardError && TRANSIENT.has(error.reason);
}

/** Whether a command that failed in this way may have been applied. */
export function isUnknown(error: unknown): boolean {
  return error instanceof LockyardError && error.reason === 'UNKNOWN';
}

const TRANSIENT: ReadonlySet<string> = new Set(['BACKEND_DOWN', 'CONTENDED', 'UNKNOWN']);

export function unreadable(cause: unknown): LockyardError {
  const text = `This record cannot be read. ${describeUnreadable(cause)} Nothing was changed.`;
  return new LockyardError('UNSUPPORTED', text, { cause });
}

export function contended(): LockyardError {
  const text = 'Other callers change this record too often. Nothing was changed; try again.';
  return new LockyardError('CONTENDED', text, { retryAfterMs: 100 });
}

export function tooLarge(): LockyardError {
  const text = 'The record would become too large for its backend. Nothing was changed.';
  return new LockyardError('TOO_LARGE', text);
}

export function multiLockTooLarge(): LockyardError {
  const text =
    'The records of these locks would together become too large for their backend. ' +
    'Nothing was changed.';
  return new LockyardError('TOO_LARGE', text);
}

export function grantTooLate(cause: unknown): LockyardError {
  const text = 'The grant came too late to be of use. The lock may stay held until its lease ends.';
  return new LockyardError('UNKNOWN', text, { cause });
}

/** Whether `decide` refused a record and a stored answer that contradict: it must decide again. */
export function isStaleRead({ reason }: LockyardError): boolean {
  return reason === 'CONTENDED';
}
