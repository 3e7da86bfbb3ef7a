import type { CounterRow } from '../../contract/console/counter-row';
import type { NameCount } from '../../engine/names/name-count';
import type { RecordKey } from '../../storage/record-store';
import { NameOrder } from '../lock-list/order/name-order';
import type { TimeSlice } from '../lock-list/order/time-slice';

/** A counter as it was last read; whether that is current depends on its backend. */
export interface CounterEntry extends Omit<CounterRow, 'isKnown'> {
  /** The backend, or the shard of it, that it was read from. */
  storeId: string;
  /** Lower-case text that a search looks in. */
  searchText: string;
}

/** New counters are merged in batches of this size. */
const MERGE_BATCH = 1_000;

/** Every known counter, in the order of their names. */
export class CounterTable {
  private readonly rows: (CounterEntry | null)[] = [];
  private readonly slots = new Map<string, number>();
  private readonly freed: number[] = [];
  /** By slot: the mark when it was last read. */
  private readonly marks: number[] = [];
  private readonly order = new NameOrder<CounterEntry>((slot) => this.rows[slot] ?? null, byName);
  /** Slots that are not in that order yet. */
  private readonly unordered = new Set<number>();
  private mark = 0;
  /** Ids of counters that have changed; null: changes are not tracked. */
  private changed: Set<string> | null = null;

  /** @param names notified of every counter that is added or removed */
  constructor(private readonly names: Pick<NameCount, 'appeared' | 'vanished'>) {}

  get size(): number {
    return this.slots.size;
  }

  /** Switches the tracking of changed counters on or off. */
  track(isTracked: boolean): void {
    if (!isTracked) this.changed = null;
    else this.changed ??= new Set();
  }

  /** The ids of counters that have changed, or are gone, since the last call. */
  takeChanged(): ReadonlySet<string> {
    const taken = this.changed;
    if (taken) this.changed = new Set();
    return taken ?? new Set();
  }

  get(id: string): CounterEntry | null {
    const slot = this.slots.get(id);
    return slot === undefined ? null : (this.rows[slot] ?? null);
  }

  /** Stores a reading, unless a later one has overtaken it. */
  store(row: CounterEntry): void {
    const known = this.slots.get(row.id);
    const slot = known ?? this.freed.pop() ?? this.rows.length;
    this.marks[slot] = this.mark;
    const stored = known === undefined ? null : this.rows[slot];
    // The rev of a record that cannot be read has no meaning.
    if (stored && stored.value !== null && stored.rev > row.rev) return;
    this.rows[slot] = row;
    this.changed?.add(row.id);
    if (known !== undefined) return;
    this.slots.set(row.id, slot);
    this.names.appeared(keyOf(row));
    this.unordered.add(slot);
  }

  remove(id: string): void {
    const slot = this.slots.get(id);
    const row = slot === undefined ? null : this.rows[slot];
    if (slot === undefined || !row) return;
    this.slots.delete(id);
    this.changed?.add(id);
    this.names.vanished(keyOf(row));
    this.rows[slot] = null;
    this.freed.push(slot);
    this.unordered.delete(slot);
    this.order.remove(slot);
  }

  private takeUnordered(): number[] {
    const taken: number[] = [];
    for (const slot of this.unordered) {
      if (taken.length === MERGE_BATCH) break;
      taken.push(slot);
      this.unordered.delete(slot);
    }
    return taken;
  }

  *all(): Generator<CounterEntry> {
    for (const row of this.rows) if (row) yield row;
  }

  /**
   * Starts a full read of a backend, or of a namespace on it. Calling the result removes counters
   * that were not read since.
   */
  beginResync(backend: string, namespace: string | undefined, slice: TimeSlice) {
    this.mark += 1;
    const { mark } = this;
    return () =>
      slice.forEach(this.rows, (row, slot) => {
        if (row?.storeId !== backend || (this.marks[slot] ?? 0) >= mark) return;
        if (namespace === undefined || row.namespace === namespace) this.remove(row.id);
      });
  }

  /**
   * The first matches by name, the number of all matches, and the number of counters that were
   * searched. Works in slices, so changes made meanwhile can be included.
   *
   * @param isListed whether a counter is searched; absent: all are
   */
  async find(
    sought: string,
    limit: number,
    slice: TimeSlice,
    isListed?: (row: CounterEntry) => boolean,
  ): Promise<{ rows: CounterEntry[]; matching: number; total: number }> {
    while (this.unordered.size > 0) {
      this.order.add(this.takeUnordered());
      if (slice.isOver) await slice.pause();
    }
    const found: CounterEntry[] = [];
    let [matching, total] = [0, 0];
    let isEnough = false;
    await slice.forEach(this.order.copy(), (slot) => {
      isEnough = !isListed && sought === '' && found.length >= limit;
      if (isEnough) return false;
      const row = this.rows[slot];
      if (!row || isListed?.(row) === false) return true;
      total += 1;
      if (!row.searchText.includes(sought)) return true;
      matching += 1;
      if (found.length < limit) found.push(row);
      return true;
    });
    if (isEnough) matching = this.size;
    return { rows: found, matching, total: isListed ? total : this.size };
  }
}

const keyOf = ({ namespace, name }: CounterEntry): RecordKey => ({
  namespace,
  name,
  kind: 'counter',
});

function byName(a: CounterEntry, b: CounterEntry): number {
  return (
    compareTexts(a.name, b.name) ||
    compareTexts(a.namespace, b.namespace) ||
    compareTexts(a.id, b.id)
  );
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
