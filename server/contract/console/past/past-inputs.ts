import { z } from 'zod';
import { lockName, namespaceName } from '../../primitives';
import { holderSearch, lockListInput, lockRef, processRef } from '../console-inputs';
import { counterListInput, counterRef } from '../counter-inputs';
import { INSIGHT_RANGES } from '../insight-row';

/** The longest span of a timeline: events are kept no longer. */
const SPAN_MAX_MS = 30 * 24 * 60 * 60_000;

const instant = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A past instant on this server's clock, as of which the answer is; absent: now. */
const asOf = { at: instant.optional() };

export const pastLockListInput = z.strictObject({ ...lockListInput.shape, ...asOf });
export type PastLockListInput = z.output<typeof pastLockListInput>;

export const pastLockRef = z.strictObject({ ...lockRef.shape, ...asOf });
export type PastLockRef = z.output<typeof pastLockRef>;

export const pastProcessRef = z.strictObject({ ...processRef.shape, ...asOf });
export type PastProcessRef = z.output<typeof pastProcessRef>;

export const pastCounterListInput = z.strictObject({ ...counterListInput.shape, ...asOf });
export type PastCounterListInput = z.output<typeof pastCounterListInput>;

export const pastCounterRef = z.strictObject({ ...counterRef.shape, ...asOf });
export type PastCounterRef = z.output<typeof pastCounterRef>;

export const asOfInput = z.strictObject(asOf).default({});
export type AsOfInput = z.output<typeof asOfInput>;

export const pastHoldersInput = z.strictObject({ ...holderSearch, ...asOf }).default({});
export type PastHoldersInput = z.output<typeof pastHoldersInput>;

/** The minute around an instant. */
export const pastMinuteInput = z.strictObject({ at: instant });
export type PastMinuteInput = z.output<typeof pastMinuteInput>;

/** The nearest change before or after an instant, of one lock or counter or of all of them. */
export const pastChangeInput = z
  .strictObject({
    at: instant,
    direction: z.enum(['previous', 'next']),
    of: z.enum(['locks', 'counters']).default('locks'),
    namespace: namespaceName.optional(),
    name: lockName.optional(),
  })
  .refine(({ namespace, name }) => namespace !== undefined || name === undefined, {
    path: ['namespace'],
    message: 'is missing beside a name',
  })
  .refine(({ namespace, name }) => name !== undefined || namespace === undefined, {
    path: ['name'],
    message: 'is missing beside a namespace',
  });
export type PastChangeInput = z.output<typeof pastChangeInput>;

/** A span that ends at `to`, or now, by the clock of the lock's backend. */
export const lockTimelineInput = z.strictObject({
  namespace: namespaceName,
  name: lockName,
  spanMs: z.number().int().min(1_000).max(SPAN_MAX_MS),
  to: instant.optional(),
});
export type LockTimelineInput = z.output<typeof lockTimelineInput>;

export const incidentsInput = z.strictObject({
  /** Only incidents that follow in the list, from a page's `older`. */
  before: z.number().int().positive().optional(),
  /** Only incidents that had not ended by then, epoch milliseconds. */
  since: instant.optional(),
  /** Only incidents that had begun by then; alone, in the order in which they began. */
  until: instant.optional(),
  limit: z.number().int().min(1).max(200).default(50),
});
export type IncidentsInput = z.output<typeof incidentsInput>;

export const incidentRef = z.strictObject({ id: z.number().int().positive() });

/** A range that ends at `at`, or now. */
export const overviewInput = z.strictObject({
  range: z.enum(INSIGHT_RANGES).default('1h'),
  ...asOf,
});
export type OverviewInput = z.output<typeof overviewInput>;
