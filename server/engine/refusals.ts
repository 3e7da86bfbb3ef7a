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

/** The error for a call that may have changed something: never one that denies a change. */
export function unknownIfDenied(error: unknown): unknown {
  const isDenial = error instanceof LockyardError && NOTHING_CHANGED.has(error.reason);
  return isDenial ? unknownOutcome(error) : error;
}

const NOTHING_CHANGED: ReadonlySet<string> = new Set(['BACKEND_DOWN', 'CONTENDED', 'TOO_LARGE']);

/** Whether a command that failed in this way can succeed later. */
export function isTransient(error: unknown): boolean {
  return error instanceof LockyardError && TRANSIENT.has(error.reason);
}

/** Whether a command that failed in this way may have been applied. */
export function isUnknown(error: unknown): boolean {
  return error instanceof LockyardError && error.reason === 'UNKNOWN';
}

/** Whether nothing was changed, and the same command can succeed later. */
export function isWorthRepeating(error: unknown): boolean {
  return isTransient(error) && !isUnknown(error);
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
