import type { LockEvent } from '../../core/lock/lock-event';
import { addEvent, addRollup, emptyCounts, type Rollup } from '../../core/statistics/minute-rollup';

/** What happened in one namespace, and how long waits and holds took together, in milliseconds. */
export interface NamespaceTally extends Rollup {
  waitedMs: number;
  heldMs: number;
}

/** Counts events by namespace, since its creation. */
export class EventTally {
  private readonly byNamespace = new Map<string, NamespaceTally>();

  add(namespace: string, event: LockEvent): void {
    const tally = this.of(namespace);
    addEvent(tally, event);
    if (event.kind === 'granted') tally.waitedMs += event.waitedMs ?? 0;
    if (event.kind !== 'late') tally.heldMs += event.heldMs ?? 0;
  }

  addAll(other: EventTally): void {
    for (const [namespace, counted] of other.byNamespace) {
      const tally = this.of(namespace);
      addRollup(tally, counted);
      tally.waitedMs += counted.waitedMs;
      tally.heldMs += counted.heldMs;
    }
  }

  entries(): Iterable<[namespace: string, tally: NamespaceTally]> {
    return this.byNamespace;
  }

  private of(namespace: string): NamespaceTally {
    const known = this.byNamespace.get(namespace);
    if (known) return known;
    const tally = { ...emptyCounts(), waitedMs: 0, heldMs: 0 };
    this.byNamespace.set(namespace, tally);
    return tally;
  }
}
