import { LockyardError } from '../contract/errors';
import { describeUnreadable } from '../storage/codec/unreadable-record';
import { StoreError } from '../storage/record-store';

/** @param cause a `StoreError` may give the store's own reason, which the message then contains */
export function backendDown(cause: unknown): LockyardError {
  const refusal = cause instanceof StoreError ? cause.refusal : null;
  const text = `${refusal ?? 'The backend does not answer.'} Nothing was changed.`;
  return new LockyardError('BACKEND_DOWN', text, { cause, retryAfterMs: 1_000 });
}

export function unknownOutcome(cause: unknown): LockyardError {
  const text = 'The backend did not confirm in time. The change may have been applied.';
  return new LockyardError('UNKNOWN', text, { cause });
}

/** The error for a call that may have changed something: never one that says nothing changed. */
export function unknownIfDenied(error: unknown): unknown {
  const isDenial = error instanceof LockyardError && NOTHING_CHANGED.has(error.reason);
  return isDenial ? unknownOutcome(error) : error;
}

const NOTHING_CHANGED: ReadonlySet<string> = new Set(['BACKEND_DOWN', 'CONTENDED', 'TOO_LARGE']);

/** Whether a command that failed in this way may succeed later. */
export function mayPass(error: unknown): boolean {
  return error instanceof LockyardError && PASSING.has(error.reason);
}

/** Whether a command that failed in this way may have been applied. */
export function isUnknown(error: unknown): boolean {
  return error instanceof LockyardError && error.reason === 'UNKNOWN';
}

/** Whether nothing was changed, and the same command may succeed later. */
export function isWorthRepeating(error: unknown): boolean {
  return mayPass(error) && !isUnknown(error);
}

const PASSING: ReadonlySet<string> = new Set(['BACKEND_DOWN', 'CONTENDED', 'UNKNOWN']);

export function unreadable(cause: unknown): LockyardError {
  const text = `This record cannot be read. ${describeUnreadable(cause)} Nothing was changed.`;
  return new LockyardError('UNSUPPORTED', text, { cause });
}

export function contended(): LockyardError {
  const text = 'This is changed too often by others. Nothing was changed; try again.';
  return new LockyardError('CONTENDED', text, { retryAfterMs: 100 });
}

export function tooLarge(): LockyardError {
  const text = 'With this, the record would be larger than its backend takes. Nothing was changed.';
  return new LockyardError('TOO_LARGE', text);
}

export function multiLockTooLarge(): LockyardError {
  const text =
    'With this, these locks together would be larger than their backend takes at once. ' +
    'Nothing was changed.';
  return new LockyardError('TOO_LARGE', text);
}

export function grantTooLate(cause: unknown): LockyardError {
  const text = 'The grant came too late to be of use. It may last until its lease ends.';
  return new LockyardError('UNKNOWN', text, { cause });
}

/** Whether `decide` got a record and a remembered answer that contradict: it must decide again. */
export function isStaleRead({ reason }: LockyardError): boolean {
  return reason === 'CONTENDED';
}
