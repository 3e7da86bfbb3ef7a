/**
 * Items, each with a key for React. Items that look alike are numbered: two services can have an
 * owner of the same name, and one act can end several holds at the same time.
 */
export function keyed<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): { key: string; item: T }[] {
  const taken = new Set<string>();
  return items.map((item) => {
    const look = keyOf(item);
    let key = look;
    for (let count = 2; taken.has(key); count += 1) key = `${look} ${count}`;
    taken.add(key);
    return { key, item };
  });
}
