import {
  type Change,
  type RecordStore,
  StoreError,
  type SwapResult,
} from '../../storage/record-store';

/**
 * What became of a change. `writer` is the one under which it took. `unknown`: its reply was lost,
 * and the record has moved on since, so it may have been part of the way or not. `tooLarge`: it did
 * not take, and never can.
 */
export type SwapOutcome =
  | { took: 'yes'; writer: string; now: number }
  | { took: 'no' | 'unknown' | 'tooLarge'; now: number };

const PAUSE_MS = 50;
const SHORT_PAUSE_MS = 3;

export interface SwapBudget {
  /** When to stop trying, on the monotonic clock. */
  dueAt: number;
  monotonic: () => number;
  newWriter: () => string;
}

/**
 * Swaps, and finds out what happened when a reply is lost: by swapping again from the same
 * expectation under a new writer. Winning proves that the first can never land, because its
 * expectation is gone; finding a writer of ours proves that it did.
 *
 * @throws StoreError with `applied: 'no'` if nothing can have been written, `'unknown'` if the
 *   budget ended first
 */
export function swapWithRecovery(
  store: RecordStore,
  changes: Change[],
  budget: SwapBudget,
): Promise<SwapOutcome[]> {
  const each = (found: (SwapOutcome | null)[]) =>
    found.every((one) => one !== null) ? found : null;
  return swapUntilKnown((proposals) => store.swap(proposals), each, changes, budget);
}

/**
 * What became of changes that take all or none. A writer is null where its record has moved on
 * since.
 */
export type SwapAllOutcome =
  | { took: 'yes'; writers: (string | null)[]; now: number }
  | { took: 'no' | 'unknown' | 'tooLarge'; now: number };

/** The same for changes that take all or none: what is known of one of them is known of all. */
export function swapAllWithRecovery(
  store: RecordStore,
  changes: Change[],
  budget: SwapBudget,
): Promise<SwapAllOutcome> {
  return swapUntilKnown((proposals) => store.swapAll(proposals), combineOutcomes, changes, budget);
}

/**
 * One that landed proves that all did. One that never can, or one that moved on while another is
 * still as it was expected, proves that none ever will.
 */
function combineOutcomes(found: (SwapOutcome | null)[]): SwapAllOutcome | null {
  const now = Math.max(...found.map((one) => one?.now ?? 0));
  if (found.some((one) => one?.took === 'yes')) {
    return {
      took: 'yes',
      writers: found.map((one) => (one?.took === 'yes' ? one.writer : null)),
      now,
    };
  }
  if (found.some((one) => one?.took === 'tooLarge')) return { took: 'tooLarge', now };
  const isStale = found.some((one) => one?.took === 'unknown');
  if (found.some((one) => one?.took === 'no')) return { took: 'no', now };
  if (found.every((one) => one !== null)) return { took: 'unknown', now };
  return isStale ? { took: 'no', now } : null;
}

async function swapUntilKnown<T>(
  swap: (proposals: Change[]) => Promise<SwapResult[]>,
  combine: (found: (SwapOutcome | null)[]) => T | null,
  changes: Change[],
  budget: SwapBudget,
): Promise<T> {
  const attempts = changes.map((): string[] => []);
  let proposals = changes;
  for (;;) {
    let pauseMs = PAUSE_MS;
    try {
      const results = await swap(proposals);
      const found = results.map((result, i) =>
        outcomeOf(proposals[i] as Change, result, attempts[i] ?? []),
      );
      const outcome = combine(found);
      if (outcome !== null) return outcome;
      recordAttempt(attempts, proposals);
      giveUpIfLate(new StoreError('A lost reply could not be cleared up.', 'unknown'), budget);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.applied === 'unknown') recordAttempt(attempts, proposals);
      if (error.retryable) pauseMs = SHORT_PAUSE_MS;
      giveUpIfLate(withDoubt(error, attempts), budget);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    proposals = changes.map((change) => ({ ...change, writer: budget.newWriter() }));
  }
}

/** Null: an earlier try may still land, so nothing is known yet. */
function outcomeOf(change: Change, result: SwapResult, tried: string[]): SwapOutcome | null {
  const { current, now, isTooLarge } = result;
  if (isTooLarge) return { took: tried.length === 0 ? 'tooLarge' : 'unknown', now };
  if (result.applied) return { took: 'yes', writer: change.writer, now };
  if (tried.length === 0) return { took: 'no', now };
  if (current && tried.includes(current.writer)) {
    return { took: 'yes', writer: current.writer, now };
  }
  const { expect, clock } = change;
  const untouched = current?.rev === expect?.rev && current?.writer === expect?.writer;
  if (untouched) return now < clock.ahead ? null : { took: 'no', now };
  // Revs only rise: had an earlier try landed, the rev would be past ours by now.
  return { took: current !== null && current.rev > change.rev ? 'unknown' : 'no', now };
}

function recordAttempt(tried: string[][], proposals: Change[]): void {
  for (const [i, { writer }] of proposals.entries()) tried[i]?.push(writer);
}

function withDoubt(error: StoreError, tried: string[][]): StoreError {
  const uncertain = tried.some((writers) => writers.length > 0);
  return uncertain ? new StoreError(error.message, 'unknown', { cause: error.cause }) : error;
}

function giveUpIfLate(error: StoreError, { dueAt, monotonic }: SwapBudget): void {
  if (monotonic() + PAUSE_MS >= dueAt) throw error;
}
