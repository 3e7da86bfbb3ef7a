/**
 * Keeps rows where they are: fresh data in the old order. A row that is gone keeps its place with
 * its last data; one that is new comes last, where there is room.
 *
 * @param shown what is drawn now
 * @param fresh what the server says, in its order
 */
export function steadyRows<T extends { id: string }>(
  shown: readonly T[],
  fresh: readonly T[],
): T[] {
  const byId = new Map(fresh.map((row) => [row.id, row]));
  const known = new Set(shown.map(({ id }) => id));
  const added = fresh.filter(({ id }) => !known.has(id));
  const rows = [...shown.map((row) => byId.get(row.id) ?? row), ...added];
  return rows.slice(0, Math.max(shown.length, fresh.length));
}
