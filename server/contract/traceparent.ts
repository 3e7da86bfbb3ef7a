import { z } from 'zod';

/** The form in which it is stored and answered: always of version 00. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A value of a later version, which may have more after the flags. */
const LATER =
  /^(?!00|ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16})-[0-9a-f]([0-9a-f])(?:-.*)?$/;

const SAMPLED = 1;

/** The `traceparent` of a holder; see `readTraceparent`. */
export const holderTraceparent = z
  .string()
  .exactOptional()
  .describe(
    'Only for holds of the caller’s own service: the `traceparent` header of the acquire that got ' +
      'this hold, if it had a valid one.',
  );

/** The `traceparent` of the hold before a grant. */
export const waitedForTraceparent = z
  .string()
  .exactOptional()
  .describe(
    'Only after a wait that the end of another hold of the same service ended: the `traceparent` ' +
      'of that hold, for a link from the span of the wait.',
  );

/**
 * The value of a `traceparent` header as it is stored; undefined for one that W3C Trace Context
 * does not allow, which is ignored. For a version after 00 only what version 00 can express is
 * stored: the two ids, and whether the trace is sampled.
 */
export function readTraceparent(header: unknown): string | undefined {
  if (typeof header !== 'string') return undefined;
  if (TRACEPARENT.test(header)) return header;
  const [, ids, flags = ''] = LATER.exec(header) ?? [];
  return ids && `00-${ids}-0${Number.parseInt(flags, 16) & SAMPLED}`;
}
