import { z } from 'zod';
import { lockName, lockPrefix, namespace } from '../primitives';
import { listedLock } from './answers';

/** How many locks a watch may name. */
const WATCH_NAMES_MAX = 1_000;

/** How many locks one answer, or one event of a stream, contains at most. */
export const WATCH_PAGE_MAX = 500;

/** The longest time for which a request for changes is held open. */
const WATCH_WAIT_MAX_MS = 25_000;

const names = z
  .array(lockName)
  .min(1)
  .max(WATCH_NAMES_MAX)
  .describe(`The locks to watch, up to ${WATCH_NAMES_MAX}; or give a \`prefix\`.`);

const prefix = lockPrefix.describe(
  'Watches all locks of the namespace whose names begin with this, compared byte by byte; empty: ' +
    'all.',
);

/** Opaque to callers; see `watch-position.ts`. */
const position = z.string().min(1).max(500);

export const watchInput = z
  .strictObject({
    namespace,
    names: names.optional(),
    prefix: prefix.optional(),
    since: position
      .optional()
      .describe(
        'The `position` of the last answer for the same locks: the answer contains what changed ' +
          'since. Without it, the answer contains the present states.',
      ),
    waitMs: z
      .number()
      .int()
      .min(0)
      .max(WATCH_WAIT_MAX_MS)
      .default(WATCH_WAIT_MAX_MS)
      .describe(
        'How long to wait for a change, up to 25 s. 0 in a batch. An event stream ignores it.',
      ),
  })
  .refine((input) => (input.names === undefined) !== (input.prefix === undefined), {
    message: 'give either names or a prefix',
    path: ['names'],
  });

export const watchAnswer = z
  .object({
    locks: z
      .array(listedLock)
      .describe(
        `The latest state of each lock that changed, up to ${WATCH_PAGE_MAX}; empty if none did. ` +
          'Present states by prefix do not include free locks.',
      ),
    position: position.describe('The `since` of the next call.'),
    reset: z
      .boolean()
      .describe(
        'The `since` of the call is not known: it is too old, or from before a restart. This and ' +
          'the following answers contain the present states of all watched locks, until `more` ' +
          'is false.',
      ),
    more: z.boolean().describe('There are more changes already: repeat the call immediately.'),
  })
  .describe('The changes of the watched locks.')
  .meta({
    examples: [
      {
        locks: [
          { name: 'scheduler', state: 'free', rev: 60500000002, holders: [], queueLength: 0 },
        ],
        position: '4f1a2b3c4d5e.Jq3hWm0ZtY6rXo1nKd8sVA.mi8k2a1c.mi8k2a4u.q0Xw3vJ1mZ9b',
        reset: false,
        more: false,
      },
    ],
  });

export type WatchInput = z.output<typeof watchInput>;
export type WatchAnswer = z.output<typeof watchAnswer>;
