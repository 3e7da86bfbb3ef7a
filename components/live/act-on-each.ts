/** How many requests are under way at a time. */
const AT_ONCE = 4;

/**
 * Acts on items in their order, a few at a time. Resolves once every action that began has ended.
 *
 * @param isStopped true: nothing further begins
 * @param act must not reject
 */
export async function actOnEach<Item>(
  items: readonly Item[],
  isStopped: () => boolean,
  act: (item: Item, place: number) => Promise<void>,
): Promise<void> {
  const left = items.entries();
  const work = async () => {
    for (let next = left.next(); !next.done && !isStopped(); next = left.next()) {
      const [place, item] = next.value;
      await act(item, place);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
