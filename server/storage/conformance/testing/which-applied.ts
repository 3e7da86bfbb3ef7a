import { type Change, StoreError, type SwapResult } from '../../record-store';

/**
 * Which of these changes were applied. The swap is repeated while the store gives up, as it does
 * after a second of conflicts with other writers: some of it may have been applied.
 */
export async function whichApplied(
  changes: Change[],
  swap: () => Promise<SwapResult[]>,
): Promise<boolean[]> {
  for (;;) {
    try {
      const results = await swap();
      return results.map(
        ({ applied, current }, i) => applied || current?.writer === changes[i]?.writer,
      );
    } catch (error) {
      if (!(error instanceof StoreError && error.retryable)) throw error;
    }
  }
}
