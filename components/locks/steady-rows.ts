/** Rows in the order in which they are drawn. */
export interface SteadyRows<T> {
  rows: T[];
  /** How many rows would change places, come or go if the order were let go. */
  moves: number;
}

/**
 * Keeps rows where they are while somebody points at them: fresh data in the old order. A row that is gone keeps its
 * place with its last data; one that is new stands at the end.
 *
 * @param shown what is drawn now
 * @param fresh what the server says, in its order
 */
export function steadyRows<T extends { id: string }>(
  shown: readonly T[],
  fresh: readonly T[],
): SteadyRows<T> {
  const byId = new Map(fresh.map((row) => [row.id, row]));
  const known = new Set(shown.map(({ id }) => id));
  const added = fresh.filter(({ id }) => !known.has(id));
  const rows = [...shown.map((row) => byId.get(row.id) ?? row), ...added];
  const moves = rows.reduce(
    (count, row, place) => count + (fresh[place]?.id === row.id ? 0 : 1),
    0,
  );
  return { rows, moves };
}
