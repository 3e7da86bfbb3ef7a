import type {
  GraphLock,
  HeadBlockerRow,
  WaitGraph,
} from '@/server/contract/console/waits/wait-graph';
import { partyKey } from '@/server/core/party';

/** A head blocker's key: the deadlock, its owner, or the lock that is not held. */
export function headId(head: HeadBlockerRow, { owners, locks }: WaitGraph): string {
  if (head.deadlock) return head.deadlock.id;
  const [owner] = head.owners;
  const known = owner === undefined ? undefined : owners[owner];
  return known ? partyKey(known) : (locks[head.locks[0] ?? -1]?.id ?? '');
}

/** For each lock, by its place: the owners that, in the end, keep its waiters waiting. */
export function rootsByLock(graph: WaitGraph): number[][] {
  const waitedFor = new Map<number, GraphLock[]>();
  for (const lock of graph.locks) {
    for (const { owner } of lock.waiters) {
      waitedFor.set(owner, [...(waitedFor.get(owner) ?? []), lock]);
    }
  }
  const ends = new Set(graph.heads.flatMap(({ deadlock, owners }) => (deadlock ? owners : [])));
  const isEnd = (owner: number) => ends.has(owner) || graph.owners[owner]?.isConcurrent === true;
  return graph.locks.map((lock) => {
    const roots = new Set<number>();
    const reached = new Set([lock]);
    for (const { holders } of reached) {
      for (const { owner } of holders) {
        const next = isEnd(owner) ? [] : (waitedFor.get(owner) ?? []);
        if (next.length === 0) roots.add(owner);
        for (const other of next) reached.add(other);
      }
    }
    return [...roots];
  });
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
