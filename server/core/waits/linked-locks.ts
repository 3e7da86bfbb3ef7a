import type { Party } from '../party';
import type { ContendedLock } from './wait-state';

/**
 * The locks that can be in a deadlock: those held or waited for by an owner that does both. Usually
 * there are none. All other holds are of owners that wait for nothing, so they cause no deadlock.
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

/** A set of owners that does not build a key string for each. */
class Owners {
  private readonly byService = new Map<string, Set<string>>();

  get isEmpty(): boolean {
    return this.byService.size === 0;
  }

  has({ service, owner }: Party): boolean {
    return this.byService.get(service)?.has(owner) === true;
  }

  add({ service, owner }: Party): void {
    const known = this.byService.get(service);
    if (known) known.add(owner);
    else this.byService.set(service, new Set([owner]));
  }
}
