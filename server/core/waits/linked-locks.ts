import type { ContendedLock } from './wait-state';

/**
 * The locks that matter for deadlocks: those that an owner holds or waits for who both holds and
 * waits. Mostly there are none. There are no deadlocks besides those among them: every other hold
 * is of an owner that waits for nothing.
 */
export function linkedLocks(locks: readonly ContendedLock[]): ContendedLock[] {
  const holders = new Owners();
  for (const { record } of locks) for (const hold of record.holds) holders.add(hold);
  const links = new Owners();
  for (const { record } of locks) {
    for (const waiter of record.queue) if (holders.has(waiter)) links.add(waiter);
  }
  if (links.isEmpty) return [];
  return locks.filter(
    ({ record }) =>
      record.holds.some((hold) => links.has(hold)) || record.queue.some((one) => links.has(one)),
  );
}

type Owner = { service: string; owner: string };

/** A set of owners that creates no text for each. */
class Owners {
  private readonly byService = new Map<string, Set<string>>();

  get isEmpty(): boolean {
    return this.byService.size === 0;
  }

  has({ service, owner }: Owner): boolean {
    return this.byService.get(service)?.has(owner) === true;
  }

  add({ service, owner }: Owner): void {
    const known = this.byService.get(service);
    if (known) known.add(owner);
    else this.byService.set(service, new Set([owner]));
  }
}
