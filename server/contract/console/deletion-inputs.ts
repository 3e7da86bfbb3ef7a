import { z } from 'zod';
import type { RetentionReason } from '../../core/deletion/deletion';
import { MAX_LOCKS_MAX } from '../namespace-policy';
import { lockName, lockPrefix, namespaceName } from '../primitives';
import { operatorReason } from './console-inputs';
import { DELETE_NAMES_MAX } from './console-terms';

/** How many records one request deletes at most; repeat the request for more. */
export const DELETED_AT_ONCE = 1_000;

const chosen = {
  namespace: namespaceName,
  kind: z.enum(['lock', 'counter']).default('lock'),
  /** All names that begin with this; empty: all names of the namespace. */
  prefix: lockPrefix.optional(),
  names: z.array(lockName).min(1).max(DELETE_NAMES_MAX).optional(),
};

const isOneWay = (input: { prefix?: string | undefined; names?: string[] | undefined }) =>
  (input.prefix === undefined) !== (input.names === undefined);
const eitherOr = { message: 'either prefix or names must be given', path: ['prefix'] };

/** The names of the locks, or of the counters, to delete. */
export const chosenNamesInput = z.strictObject(chosen).refine(isOneWay, eitherOr);
export type ChosenNames = z.output<typeof chosenNamesInput>;

const act = {
  /** The limit: the number that the operator saw in the preview and confirmed by typing it. */
  atMost: z.number().int().min(1).max(MAX_LOCKS_MAX),
  reason: operatorReason,
};

export const deleteNamesInput = z.strictObject({ ...chosen, ...act }).refine(isOneWay, eitherOr);

/** The request of the command line; without `atMost`, it asks for a preview. */
export const deletionCommandInput = z
  .strictObject({ ...chosen, atMost: act.atMost.optional(), reason: act.reason.optional() })
  .refine(isOneWay, eitherOr);
export type DeleteNamesInput = z.output<typeof deleteNamesInput>;

/** What a deletion would do now. */
export interface DeletionPreview {
  /** How many of the chosen names exist. */
  matching: number;
  /** How many of them would be deleted, and the first few of these. */
  going: number;
  examples: string[];
  /**
   * The others by the reason for which they are kept: how many, and which; of a prefix, the first
   * few.
   */
  kept: { because: RetentionReason; count: number; examples: string[] }[];
}

/** The result for one name. `changed`: it was used meanwhile, so it was kept. `gone`: not found. */
export type DeletionResult =
  | { name: string; outcome: 'deleted' | 'changed' | 'gone' }
  | { name: string; outcome: 'kept'; because: RetentionReason };

export interface DeletionAnswer {
  /** `nothing`: no name was deleted. */
  outcome: 'done' | 'nothing';
  deleted: number;
  /** The result for each name; for a prefix, for each that was expected to be deletable. */
  results: DeletionResult[];
  /** Whether there may be more names that can be deleted. */
  more: boolean;
}
