/** The nodes that a node points to. */
type Next<N> = (node: N) => readonly N[];

/** The progress of the search at a node: the edges from it, and the index of the next one. */
interface Visit<N> {
  node: N;
  to: readonly N[];
  at: number;
}

/**
 * The strongly connected components, in which every node can be reached from every other (Tarjan's
 * algorithm). A node that is on no cycle is a component of its own.
 *
 * @param next may return nodes that are not among `nodes`; those are ignored
 */
export function strongComponents<N>(nodes: readonly N[], next: Next<N>): N[][] {
  const known = new Set(nodes);
  const order = new Map<N, number>();
  const low = new Map<N, number>();
  const open: N[] = [];
  const isOpen = new Set<N>();
  const components: N[][] = [];
  const enter = (node: N): Visit<N> => {
    order.set(node, order.size);
    low.set(node, order.size - 1);
    open.push(node);
    isOpen.add(node);
    return { node, to: next(node).filter((other) => known.has(other)), at: 0 };
  };
  const lower = (node: N, to: number | undefined) =>
    low.set(node, Math.min(low.get(node) as number, to as number));
  for (const root of nodes) {
    if (order.has(root)) continue;
    const path = [enter(root)];
    for (let visit = path.at(-1); visit; visit = path.at(-1)) {
      const { node } = visit;
      const to = visit.to[visit.at];
      if (to !== undefined) {
        visit.at += 1;
        if (!order.has(to)) path.push(enter(to));
        else if (isOpen.has(to)) lower(node, order.get(to));
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent) lower(parent.node, low.get(node));
      if (low.get(node) === order.get(node)) {
        const component = open.splice(open.lastIndexOf(node));
        for (const member of component) isOpen.delete(member);
        components.push(component);
      }
    }
  }
  return components;
}

/** A shortest cycle through `start`, beginning with it; null if there is none. */
export function shortestCycle<N>(start: N, next: Next<N>): N[] | null {
  const from = new Map<N, N | null>([[start, null]]);
  for (const node of from.keys()) {
    for (const to of next(node)) {
      if (to === start) return pathTo(node, from);
      if (!from.has(to)) from.set(to, node);
    }
  }
  return null;
}

function pathTo<N>(end: N, from: ReadonlyMap<N, N | null>): N[] {
  const path: N[] = [];
  for (let node: N | null = end; node !== null; node = from.get(node) ?? null) path.unshift(node);
  return path;
}
