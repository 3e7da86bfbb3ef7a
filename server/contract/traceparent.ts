import { z } from 'zod';

/** The form in which a `traceparent` is stored and answered: always version 00. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A value of a later version, which can have more fields after the flags. */
const LATER =
  /^(?!00|ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16})-[0-9a-f]([0-9a-f])(?:-.*)?$/;

const SAMPLED = 1;

/** The `traceparent` of a holder; see `readTraceparent`. */
export const holderTraceparent = z
  .string()
  .exactOptional()
  .describe(
    'Only for holds of the caller’s own service: the `traceparent` header of the acquire, if it ' +
      'had a valid one.',
  );

/** The `traceparent` of the hold that a grant waited for. */
export const waitedForTraceparent = z
  .string()
  .exactOptional()
  .describe(
    'Only after a wait for another hold of the same service: the `traceparent` of that hold, for ' +
      'a link from the span of the wait.',
  );

/**
 * The value of a `traceparent` header to store; undefined for one that W3C Trace Context does not
 * allow, which is ignored. Of a later version than 00, only what version 00 can express is stored:
 * the two ids, and whether the trace is sampled.
 */
export function readTraceparent(header: unknown): string | undefined {
  if (typeof header !== 'string') return undefined;
  if (TRACEPARENT.test(header)) return header;
  const [, ids, flags = ''] = LATER.exec(header) ?? [];
  return ids && `00-${ids}-0${Number.parseInt(flags, 16) & SAMPLED}`;
}
