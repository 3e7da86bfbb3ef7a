import { STORE_RETRY_MS } from '../../core/timing';
import {
  type Change,
  type RecordStore,
  type StoredRecord,
  StoreError,
  type SwapResult,
} from '../../storage/record-store';
import type { EngineContext } from '../engine-context';
import { hasTimeToRetry } from './has-time-to-retry';

/**
 * The outcome of a change. `writer`: the one under which it was applied. `unknown`: its reply was
 * lost, and the record was changed or deleted since, possibly after it was applied. `tooLarge`: it
 * was not applied, and never can be. `found`: the changed record that the swap found, if known.
 */
export type SwapOutcome =
  | { applied: 'yes'; writer: string; now: number }
  | { applied: 'no'; now: number; found?: StoredRecord }
  | { applied: 'unknown' | 'tooLarge'; now: number };

/** A change that may still be applied, as its outcome was not found within the budget. */
export interface InDoubt {
  applied: 'inDoubt';
  failure: StoreError;
}

const SHORT_PAUSE_MS = 3;

/**
 * Swaps, and if a reply is lost finds the outcome by swapping again from the same expectation under
 * a new writer. If that succeeds, the first swap can never be applied, because its expectation no
 * longer holds; if a writer of an earlier swap is found, that one was applied.
 *
 * @param dueAt when to stop trying, on the monotonic clock: then the changes whose outcome is not
 *   known are in doubt
 * @throws StoreError with `applied: 'no'` if nothing can have been written, `'unknown'` if the
 *   budget ended before any outcome was known; earlier, with `isRowLocked`, if another transaction
 *   has a row locked, for which the other changes should not wait
 */
export async function swapWithRecovery(
  context: EngineContext,
  changes: Change[],
  dueAt: number,
): Promise<(SwapOutcome | InDoubt)[]> {
  let known: (SwapOutcome | null)[] = [];
  const allKnown = (found: (SwapOutcome | null)[]) => {
    known = found;
    return found.every((one) => one !== null) ? found : null;
  };
  const swap = (proposals: Change[]) => {
    // If the reply to this attempt is lost, it may have applied what an earlier one did not.
    known = known.map((one) => (one?.applied === 'yes' ? one : null));
    return context.store.swap(proposals);
  };
  try {
    return await swapUntilKnown(context, swap, allKnown, changes, dueAt);
  } catch (failure) {
    if (!(failure instanceof StoreError) || !known.some((one) => one !== null)) throw failure;
    return known.map((one) => one ?? { applied: 'inDoubt', failure });
  }
}

/** The outcome of an all-or-none swap. A writer is null if its record has changed since. */
export type SwapAllOutcome =
  | { applied: 'yes'; writers: (string | null)[]; now: number }
  | { applied: 'no' | 'unknown' | 'tooLarge'; now: number };

/**
 * `swapWithRecovery` for changes that are applied all or none: the outcome of one is that of all.
 *
 * @throws StoreError as `swapWithRecovery`
 */
export function swapAllWithRecovery(
  context: EngineContext,
  changes: Change[],
  dueAt: number,
): Promise<SwapAllOutcome> {
  const swap = (proposals: Change[]) => context.store.swapAll(proposals);
  return swapUntilKnown(context, swap, combineOutcomes, changes, dueAt);
}

/**
 * One applied change proves that all were applied. One that never can be proves that none ever will
 * be; so does a record that is still as expected after another one was seen changed. Both in one
 * result prove nothing, since a store may read the records one after another. Null: not known yet.
 *
 * @param before what was found by the swap before this one
 */
function combineOutcomes(
  found: (SwapOutcome | null)[],
  before: (SwapOutcome | null)[],
): SwapAllOutcome | null {
  const now = Math.max(...found.map((one) => one?.now ?? 0));
  const outcomes = new Set(found.map((one) => one?.applied ?? 'untouched'));
  if (outcomes.has('yes')) {
    const writers = found.map((one) => (one?.applied === 'yes' ? one.writer : null));
    return { applied: 'yes', writers, now };
  }
  if (outcomes.has('tooLarge')) return { applied: 'tooLarge', now };
  if (outcomes.has('no')) return { applied: 'no', now };
  if (!outcomes.has('unknown')) return null;
  if (!outcomes.has('untouched')) return { applied: 'unknown', now };
  return before.some((one) => one?.applied === 'unknown') ? { applied: 'no', now } : null;
}

async function swapUntilKnown<T>(
  context: EngineContext,
  swap: (proposals: Change[]) => Promise<SwapResult[]>,
  combine: (found: (SwapOutcome | null)[], before: (SwapOutcome | null)[]) => T | null,
  changes: Change[],
  dueAt: number,
): Promise<T> {
  const giveUpIfLate = (error: StoreError) => {
    if (!hasTimeToRetry(dueAt, context.monotonic())) throw error;
  };
  const attempts = changes.map((): string[] => []);
  /** Requests that a read showed to have a stored answer. */
  const answered = new Set<string>();
  let known = changes.map((): SwapOutcome | null => null);
  let proposals = changes;
  for (;;) {
    let pauseMs = STORE_RETRY_MS;
    try {
      const results = await swap(proposals);
      context.options.onSwap?.(proposals, results);
      // A change that was found applied stays so, even if its record has changed since.
      const found = results.map((result, i) =>
        known[i]?.applied === 'yes'
          ? known[i]
          : outcomeOf(proposals[i] as Change, result, attempts[i] ?? [], answered),
      );
      const outcome = combine(found, known);
      if (outcome !== null) return outcome;
      known = found;
      recordAttempt(attempts, proposals);
      const unclear = new StoreError('The outcome of a lost reply could not be found.', 'unknown');
      giveUpIfLate(unclear);
      const doubtful = changes.filter((_, i) => found[i] === null);
      if (await findAnswers(context.store, doubtful, answered)) pauseMs = SHORT_PAUSE_MS;
      giveUpIfLate(unclear);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.applied === 'unknown') recordAttempt(attempts, proposals);
      if (error.retryable) pauseMs = SHORT_PAUSE_MS;
      const failure = withDoubt(error, attempts);
      if (failure.isRowLocked) throw failure;
      giveUpIfLate(failure);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    proposals = changes.map((change) => ({ ...change, writer: context.options.newWriter() }));
  }
}

/** Adds the requests of these changes that have a stored answer to `answered`. False: none has. */
async function findAnswers(
  store: RecordStore,
  changes: Change[],
  answered: Set<string>,
): Promise<boolean> {
  const requests = changes.flatMap(({ unanswered = [] }) => unanswered);
  if (requests.length === 0) return false;
  const { storedAnswers } = await store.read([], requests);
  for (const { key } of storedAnswers) answered.add(key);
  return storedAnswers.length > 0;
}

/**
 * The outcome of a change; null: an earlier attempt may still be applied, so it is not known yet.
 *
 * @param answered requests that had a stored answer before this attempt. If the record is still as
 *   expected, that answer is older than the record, so no attempt can be applied
 */
function outcomeOf(
  change: Change,
  result: SwapResult,
  tried: string[],
  answered: ReadonlySet<string>,
): SwapOutcome | null {
  const { current, now, isTooLarge, found } = result;
  const { expect, clock } = change;
  const untouched = current?.rev === expect?.rev && current?.writer === expect?.writer;
  if (isTooLarge) return { applied: tried.length === 0 ? 'tooLarge' : 'unknown', now };
  if (result.applied) return { applied: 'yes', writer: change.writer, now };
  if (tried.length === 0) return { applied: 'no', now, ...(found && !untouched && { found }) };
  if (current && tried.includes(current.writer)) {
    return { applied: 'yes', writer: current.writer, now };
  }
  if (untouched) {
    const isPossible = now < clock.ahead && !change.unanswered?.some((key) => answered.has(key));
    return isPossible ? null : { applied: 'no', now };
  }
  // Revs only rise: after an earlier attempt, the record would have a higher rev or be deleted.
  return { applied: current === null || current.rev > change.rev ? 'unknown' : 'no', now };
}

function recordAttempt(tried: string[][], proposals: Change[]): void {
  for (const [i, { writer }] of proposals.entries()) tried[i]?.push(writer);
}

function withDoubt(error: StoreError, tried: string[][]): StoreError {
  const uncertain = tried.some((writers) => writers.length > 0);
  return uncertain ? new StoreError(error.message, 'unknown', { cause: error.cause }) : error;
}
