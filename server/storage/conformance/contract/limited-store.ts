import type { Store, StoreUnderTest } from '../testing/stores-under-test';

/**
 * The stores of `under`, opened by a user with fewer privileges, who is removed with them.
 *
 * @param atStart the store that a start opens first, which must be allowed too
 * @param open opens the store of another process
 */
export async function limitedStore(
  under: StoreUnderTest,
  user: { drop(): Promise<void> },
  atStart: Promise<Store>,
  open: () => Store,
): Promise<StoreUnderTest> {
  const opened = [await atStart];
  const another = async () => {
    const store = open();
    opened.push(store);
    return store;
  };
  return {
    ...under,
    store: await another(),
    another,
    async close() {
      await Promise.all(opened.map((store) => store.close()));
      await user.drop();
      await under.close();
    },
  };
}
