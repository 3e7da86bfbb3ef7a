import type { ProjectionRow } from '../../projection/projection-row';
import { compareBytes } from './compare-bytes';
import { SlotOrder } from './slot-order';

/** All rows of a list, ordered by name or by anything else that no change of a row affects. */
export class NameOrder<Row> {
  private readonly order = new SlotOrder();
  private removed: number[] = [];
  /** By slot. */
  private positions = new Int32Array(64);
  /** Whether the order has changed since the positions were written. */
  private isStale = false;

  /** @param compare by name or another key; no two rows are equal */
  constructor(
    private readonly at: (slot: number) => Row | null,
    private readonly compare: (a: Row, b: Row) => number,
  ) {}

  /** Adds new slots. Moves blocks of the order, so add many at a time. */
  add(slots: number[]): void {
    const known = this.removed.filter((slot) => this.order.has(slot));
    this.removed = [];
    this.order.change(known, slots, (a, b) => this.compareRows(a, b));
    this.isStale = true;
  }

  /** Notes that a slot's row is gone; its position is removed with the next change. */
  remove(slot: number): void {
    this.removed.push(slot);
  }

  /**
   * Below 0 if the row in the first slot comes first. Both must have been added. The first call
   * after a change reads all slots.
   */
  compareSlots(a: number, b: number): number {
    if (this.isStale) this.writePositions();
    return (this.positions[a] as number) - (this.positions[b] as number);
  }

  /** A copy; may include slots whose row is gone. */
  copy(): Int32Array<ArrayBuffer> {
    return this.order.copy();
  }

  /** The rows from the first one on for which `isBefore` is false. */
  *from(isBefore: (row: Row) => boolean): Generator<Row> {
    if (this.removed.length > 0) this.add([]);
    const begin = this.order.firstAfter((slot) => {
      const row = this.at(slot);
      return row !== null && isBefore(row);
    });
    for (let place = begin; place < this.order.length; place += 1) {
      const row = this.at(this.order.at(place));
      if (row) yield row;
    }
  }

  private compareRows(a: number, b: number): number {
    const [one, other] = [this.at(a), this.at(b)];
    return one && other ? this.compare(one, other) : 0;
  }

  /** There can be millions of positions, so nothing is allocated for each. */
  private writePositions(): void {
    for (let place = 0; place < this.order.length; place += 1) {
      const slot = this.order.at(place);
      if (slot >= this.positions.length) this.widen(slot);
      this.positions[slot] = place;
    }
    this.isStale = false;
  }

  private widen(slot: number): void {
    const wider = new Int32Array(Math.max(slot + 1, 2 * this.positions.length));
    wider.set(this.positions);
    this.positions = wider;
  }
}

/** The order in the console: by name, then by namespace. */
export function byName(a: ProjectionRow, b: ProjectionRow): number {
  return (
    compareTexts(a.key.name, b.key.name) ||
    compareTexts(a.key.namespace, b.key.namespace) ||
    compareTexts(a.id, b.id)
  );
}

/** The order of `lock.list`: by namespace, then by the bytes of the name. */
export function byKey(a: ProjectionRow, b: ProjectionRow): number {
  return (
    compareTexts(a.key.namespace, b.key.namespace) ||
    compareBytes(a.key.name, b.key.name) ||
    compareTexts(a.id, b.id)
  );
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
