import type { AlertRules } from '../../contract/console/alerts/alert-rules';
import { isCounterNear } from '../../core/alerts/alert-conditions';
import type { TimeSlice } from '../lock-list/order/time-slice';
import type { CounterEntry, CounterTable } from '../projection/counter-table';

/**
 * The counters that are near a bound. Checks every counter once, and from then on only those that
 * have changed.
 */
export class NearCounters {
  private readonly near = new Map<string, CounterEntry>();
  /** The rules at the last check; empty: no namespace has a rule for counters. */
  private withins = '';

  constructor(
    private readonly table: Pick<CounterTable, 'all' | 'get' | 'track' | 'takeChanged'>,
    private readonly slice: () => TimeSlice,
  ) {}

  /** Brings them up to date. */
  async refresh(rules: ReadonlyMap<string, AlertRules>, defaults: AlertRules): Promise<void> {
    const rulesOf = (namespace: string) => rules.get(namespace) ?? defaults;
    const withins = [...rules].filter(([, { counterWithin }]) => counterWithin !== null);
    const compared = JSON.stringify(withins.map(([name, each]) => [name, each.counterWithin]));
    const isUsed = withins.length > 0 || defaults.counterWithin !== null;
    this.table.track(isUsed);
    if (!isUsed) this.near.clear();
    if (isUsed && compared !== this.withins) {
      this.near.clear();
      await this.slice().forEach(this.table.all(), (entry) => this.note(entry, rulesOf));
    }
    this.withins = isUsed ? compared : '';
    await this.slice().forEach(this.table.takeChanged(), (id) => {
      const entry = this.table.get(id);
      if (entry) this.note(entry, rulesOf);
      else this.near.delete(id);
    });
  }

  /** Stops tracking changes. The next `refresh` begins with all counters. */
  forget(): void {
    this.table.track(false);
    this.near.clear();
    this.withins = '';
  }

  all(): Iterable<CounterEntry> {
    return this.near.values();
  }

  /** Whether the record of a counter is unreadable, and its value unknown. @param id of its row */
  isUnreadable(id: string): boolean {
    return this.table.get(id)?.value === null;
  }

  private note(entry: CounterEntry, rulesOf: (namespace: string) => AlertRules): void {
    const { id, namespace, value } = entry;
    const isNear = value !== null && isCounterNear(value, entry, rulesOf(namespace));
    if (isNear) this.near.set(id, entry);
    else this.near.delete(id);
  }
}
