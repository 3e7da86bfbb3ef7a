import { SlotOrder } from './slot-order';

/**
 * All rows of a list in the order of their names, or another one that no change of a row touches.
 */
export class NameOrder<Row> {
  private readonly order = new SlotOrder();
  private gone: number[] = [];
  /** By slot. */
  private places = new Int32Array(64);

  /** @param compare by what the rows are called; no two are alike */
  constructor(
    private readonly at: (slot: number) => Row | null,
    private readonly compare: (a: Row, b: Row) => number,
  ) {}

  /**
   * Takes in new slots. Costs a copy of all places, so better some at a time than one after
   * another.
   */
  add(slots: number[]): void {
    const known = this.gone.filter((slot) => this.order.has(slot));
    this.gone = [];
    this.order.change(known, slots, (a, b) => this.compared(a, b));
    for (const [place, slot] of this.order.window(0, this.order.length).entries()) {
      if (slot >= this.places.length) this.widen(slot);
      this.places[slot] = place;
    }
  }

  /** The slot's row is gone; its place goes with the next change. */
  remove(slot: number): void {
    this.gone.push(slot);
  }

  /** Below 0 where the row in the first slot comes first. Both have been added. */
  compareSlots(a: number, b: number): number {
    return (this.places[a] as number) - (this.places[b] as number);
  }

  /** A copy; slots whose row has gone may be among them. */
  copy(): Int32Array<ArrayBuffer> {
    return this.order.copy();
  }

  /** The slots from the first one on that is not before what is sought, one after another. */
  *from(isBefore: (row: Row) => boolean): Generator<Row> {
    if (this.gone.length > 0) this.add([]);
    const begin = this.order.firstNot((slot) => {
      const row = this.at(slot);
      return row !== null && isBefore(row);
    });
    for (let place = begin; place < this.order.length; place += 1) {
      const row = this.at(this.order.at(place));
      if (row) yield row;
    }
  }

  private compared(a: number, b: number): number {
    const [one, other] = [this.at(a), this.at(b)];
    return one && other ? this.compare(one, other) : 0;
  }

  private widen(slot: number): void {
    const wider = new Int32Array(Math.max(slot + 1, 2 * this.places.length));
    wider.set(this.places);
    this.places = wider;
  }
}
