import { clockOffsetOfKeeper } from '@/server/contract/console/backend-health';
import type {
  DeadlockRow,
  DeadlockStepRow,
  GraphLock,
  GraphWait,
  WaitGraph,
} from '@/server/contract/console/waits/wait-graph';
import { rootsByLock, waitsInDeadlock } from './wait-facts';

/** Which waits the page shows, as in its address. */
export interface WaitFilter {
  namespace: string | null;
  backend: string | null;
  /** Only waits that have lasted at least this long; 0: all. */
  overMs: number;
}

/** The ages to choose from. */
export const WAIT_AGES_MS = [10_000, 30_000, 60_000, 300_000];

/** Reads an address; ignores what is invalid in it. */
export function readWaitFilter(params: { get: (name: string) => string | null }): WaitFilter {
  const overMs = Number(params.get('over'));
  return {
    namespace: params.get('namespace'),
    backend: params.get('backend'),
    overMs: WAIT_AGES_MS.includes(overMs) ? overMs : 0,
  };
}

export const isFiltering = ({ namespace, backend, overMs }: WaitFilter): boolean =>
  namespace !== null || backend !== null || overMs > 0;

/** The waits that match, each lock with those of its waiters. */
export function matchingWaits(graph: WaitGraph, filter: WaitFilter): WaitGraph {
  if (!isFiltering(filter)) return graph;
  const locks = graph.locks.map((lock): GraphLock => {
    const waiters = isOf(lock, filter)
      ? lock.waiters.filter(({ enqueuedAt }) => ageMs(graph, lock, enqueuedAt) >= filter.overMs)
      : [];
    // The ages of waiters that are not listed are not known.
    const waiting = waiters.length === lock.waiters.length ? lock.waiting : waiters.length;
    return { ...lock, waiters, waiting };
  });
  return { ...graph, locks };
}

/** A wait, and what keeps it waiting in the end. */
export interface ListedWait {
  lock: GraphLock;
  wait: GraphWait;
  /** Owners, by their places in the graph. */
  roots: number[];
  inDeadlock: boolean;
}

/** The waits that match, one by one. What is behind them need not match itself. */
export function listedWaits(graph: WaitGraph, filter: WaitFilter): ListedWait[] {
  const marked = waitsInDeadlock(graph);
  const { locks } = matchingWaits(graph, filter);
  const rootsOf = rootsByLock(graph);
  return locks.flatMap((lock, place) => {
    const roots = rootsOf[place] ?? [];
    return lock.waiters.map((wait) => {
      return { lock, wait, roots, inDeadlock: marked.has(`${place} ${wait.owner}`) };
    });
  });
}

/** The head blockers with a matching wait behind them, with everything that is behind those. */
export function matchingHeads(graph: WaitGraph, filter: WaitFilter): WaitGraph {
  if (!isFiltering(filter)) return graph;
  const { locks } = matchingWaits(graph, filter);
  const heldBy = new Map<number, number[]>();
  graph.locks.forEach(({ holders }, place) => {
    for (const { owner } of holders) heldBy.set(owner, [...(heldBy.get(owner) ?? []), place]);
  });
  const heads = graph.heads.filter((head) => {
    const behind = new Set(head.locks);
    for (const place of behind) {
      if ((locks[place]?.waiters.length ?? 0) > 0) return true;
      for (const { owner } of graph.locks[place]?.waiters ?? []) {
        for (const held of heldBy.get(owner) ?? []) behind.add(held);
      }
    }
    return false;
  });
  return { ...graph, heads };
}

/**
 * The deadlocks with a matching wait in them. Each of their waits lasted at least as long as the
 * deadlock itself.
 *
 * @param now the server's clock
 */
export function matchingDeadlocks(
  rows: readonly DeadlockRow[],
  filter: WaitFilter,
  now: number,
): DeadlockRow[] {
  return rows.filter(
    ({ steps, since, endedAt }) =>
      (endedAt ?? now) - since >= filter.overMs && steps.some((step) => isOf(step, filter)),
  );
}

/** The namespaces and backends of all waits, to choose from. */
export function filterChoices({ locks }: WaitGraph): { namespaces: string[]; backends: string[] } {
  const sorted = (values: string[]) => [...new Set(values)].sort();
  return {
    namespaces: sorted(locks.map(({ namespace }) => namespace)),
    backends: sorted(locks.map(({ backend }) => backend)),
  };
}

const isOf = (lock: GraphLock | DeadlockStepRow, { namespace, backend }: WaitFilter): boolean =>
  (namespace === null || lock.namespace === namespace) &&
  (backend === null || lock.backend === backend);

const ageMs = ({ asOf, backends }: WaitGraph, lock: GraphLock, since: number): number =>
  asOf + clockOffsetOfKeeper(backends, lock) - since;
