import { StoreError } from './record-store';

/**
 * Asks the control database about a store, for a guard.
 *
 * @param store as people call it
 * @throws StoreError where it does not answer: nobody may be let in then
 */
export async function recallLife<T>(store: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError(`The control database cannot say whether ${store} is whole.`, 'no', {
      cause,
    });
  }
}
