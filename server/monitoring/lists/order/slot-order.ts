type Compare = (a: number, b: number) => number;

/**
 * Slots in an order that the caller defines. A change moves blocks of memory rather than single
 * slots, so that it costs about as much as what has changed, up to very long orders.
 */
export class SlotOrder {
  private places = new Int32Array(64);
  private size = 0;
  /** By slot: 1 if it is contained. */
  private isIn = new Uint8Array(64);

  get length(): number {
    return this.size;
  }

  has(slot: number): boolean {
    return this.isIn[slot] === 1;
  }

  at(place: number): number {
    return this.places[place] as number;
  }

  /** A view of some of the slots in order; valid until the next change. */
  window(offset: number, limit: number): Int32Array {
    return this.places.subarray(Math.min(offset, this.size), Math.min(offset + limit, this.size));
  }

  /** A copy of all slots in order. */
  copy(): Int32Array<ArrayBuffer> {
    return this.places.slice(0, this.size);
  }

  /**
   * Replaces the content.
   *
   * @param slots in order; kept, not copied
   * @param isKept false: the slot is left out
   */
  replace(slots: Int32Array<ArrayBuffer>, isKept: (slot: number) => boolean): void {
    this.isIn.fill(0);
    this.places = slots;
    this.size = 0;
    for (let from = 0; from < slots.length; from += 1) {
      const slot = slots[from] as number;
      if (!isKept(slot)) continue;
      slots[this.size] = slot;
      this.size += 1;
      this.mark(slot);
    }
  }

  /**
   * Replaces the content with the marked slots of another order.
   *
   * @param marks by slot, 1 for those marked; kept, not copied
   * @param count how many are marked
   */
  select(other: SlotOrder, marks: Uint8Array<ArrayBuffer>, count: number): void {
    this.isIn = marks;
    this.places = new Int32Array(count);
    this.size = count;
    this.orderAs(other);
    if (this.size === count) return;
    this.isIn = new Uint8Array(marks.length);
    for (const slot of this.window(0, this.size)) this.isIn[slot] = 1;
  }

  /** Adopts the order of another one, for the slots contained here. */
  orderAs(other: SlotOrder): void {
    const { isIn } = this;
    let place = 0;
    for (let from = 0; from < other.size && place < this.size; from += 1) {
      const slot = other.places[from] as number;
      if (isIn[slot] !== 1) continue;
      this.places[place] = slot;
      place += 1;
    }
    this.size = place;
  }

  /**
   * Removes slots, then adds slots.
   *
   * @param removed all contained
   * @param added none contained after the removal
   * @param compare the order of all slots contained after that
   */
  change(removed: readonly number[], added: number[], compare: Compare): void {
    if (removed.length > 0) this.remove(removed);
    if (added.length > 0) this.add(added.sort(compare), compare);
  }

  /** The first position for whose slot `isBefore` is false. */
  firstNot(isBefore: (slot: number) => boolean): number {
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (isBefore(this.places[middle] as number)) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  private remove(removed: readonly number[]): void {
    const { places, isIn } = this;
    for (const slot of removed) isIn[slot] = 0;
    let place = 0;
    for (let from = 0; from < this.size; from += 1) {
      const slot = places[from] as number;
      if (isIn[slot] !== 1) continue;
      places[place] = slot;
      place += 1;
    }
    this.size = place;
  }

  /** From last to first, so that each block is moved once. */
  private add(sorted: readonly number[], compare: Compare): void {
    this.makeRoom(this.size + sorted.length);
    const { places } = this;
    let end = this.size;
    for (let i = sorted.length - 1; i >= 0; i -= 1) {
      const slot = sorted[i] as number;
      const place = this.placeFor(slot, end, compare);
      places.copyWithin(place + i + 1, place, end);
      places[place + i] = slot;
      this.mark(slot);
      end = place;
    }
    this.size += sorted.length;
  }

  private placeFor(slot: number, end: number, compare: Compare): number {
    let [from, to] = [0, end];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (compare(this.places[middle] as number, slot) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  private mark(slot: number): void {
    if (slot >= this.isIn.length) {
      const wider = new Uint8Array(Math.max(slot + 1, 2 * this.isIn.length));
      wider.set(this.isIn);
      this.isIn = wider;
    }
    this.isIn[slot] = 1;
  }

  private makeRoom(size: number): void {
    if (size <= this.places.length) return;
    const wider = new Int32Array(Math.max(size, Math.ceil(1.25 * this.places.length)));
    wider.set(this.places.subarray(0, this.size));
    this.places = wider;
  }
}
