import type {
  GraphLock,
  GraphOwner,
  HeadBlockerRow,
  WaitGraph,
} from '@/server/contract/console/waits/wait-graph';

/** An owner's name for keys and for the graph; the same from one reading to the next. */
export const ownerId = ({ service, owner }: Pick<GraphOwner, 'service' | 'owner'>) =>
  `${service}\0${owner}`;

/** A head blocker's key: the deadlock, its owner, or the lock that is not held. */
export function headId(head: HeadBlockerRow, { owners, locks }: WaitGraph): string {
  if (head.deadlock) return head.deadlock.id;
  const [owner] = head.owners;
  const known = owner === undefined ? undefined : owners[owner];
  return known ? ownerId(known) : (locks[head.locks[0] ?? -1]?.id ?? '');
}

/** The owners at the end of the chain that keeps the waiters of a lock waiting. */
export function rootsOf(lock: GraphLock, graph: WaitGraph): number[] {
  const roots = new Set<number>();
  const seen = new Set<GraphLock>();
  const waitsOf = (owner: number) =>
    graph.owners[owner]?.isConcurrent
      ? []
      : graph.locks.filter(({ waiters }) => waiters.some((wait) => wait.owner === owner));
  const inDeadlock = new Set(
    graph.heads.flatMap(({ deadlock, owners }) => (deadlock ? owners : [])),
  );
  const walk = (at: GraphLock) => {
    if (seen.has(at)) return;
    seen.add(at);
    for (const { owner } of at.holders) {
      const next = inDeadlock.has(owner) ? [] : waitsOf(owner);
      if (next.length === 0) roots.add(owner);
      for (const other of next) walk(other);
    }
  };
  walk(lock);
  return [...roots];
}

/** The owners of deadlocks, by their places in the graph. */
export function ownersInDeadlock({ heads }: WaitGraph): ReadonlySet<number> {
  return new Set(heads.flatMap(({ deadlock }) => deadlock?.steps.map(({ owner }) => owner) ?? []));
}

/** Waits of deadlocks, as `lock owner` by their places in the graph. */
export function waitsInDeadlock({ heads }: WaitGraph): ReadonlySet<string> {
  const steps = heads.flatMap(({ deadlock }) => deadlock?.steps ?? []);
  return new Set(steps.map(({ lock, owner }) => `${lock} ${owner}`));
}

/** Whether a lock's backend does not respond, so that its waits are only the last known ones. */
export function isUnknown(lock: GraphLock): boolean {
  return lock.status === 'unknown';
}
