import type { LockEvent } from '../../core/lock/lock-event';
import { addEvent, addRollup, emptyCounts, type Rollup } from '../../core/statistics/minute-rollup';
import { DurationTally } from './duration-tally';

/** What happened in one namespace. */
export type NamespaceTally = Rollup<DurationTally>;

export const emptyTally = (): NamespaceTally => emptyCounts(() => new DurationTally());

/** Counts events by namespace, since its creation. */
export class EventTally {
  private readonly byNamespace = new Map<string, NamespaceTally>();

  add(namespace: string, event: LockEvent): void {
    addEvent(this.of(namespace), event);
  }

  addAll(other: EventTally): void {
    for (const [namespace, counted] of other.byNamespace) addRollup(this.of(namespace), counted);
  }

  entries(): Iterable<[namespace: string, tally: NamespaceTally]> {
    return this.byNamespace;
  }

  private of(namespace: string): NamespaceTally {
    const known = this.byNamespace.get(namespace);
    if (known) return known;
    const tally = emptyTally();
    this.byNamespace.set(namespace, tally);
    return tally;
  }
}
