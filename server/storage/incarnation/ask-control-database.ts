import { StoreError } from '../record-store';

/**
 * Asks the control database about a store, for a guard.
 *
 * @param store the store's name for people
 * @throws StoreError if it does not answer: then no connection may be admitted
 */
export async function askControlDatabase<T>(store: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError(`The control database cannot say whether ${store} is whole.`, 'no', {
      cause,
    });
  }
}
