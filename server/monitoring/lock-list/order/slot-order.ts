type Compare = (a: number, b: number) => number;

/**
 * Slots in an order that the caller defines. A change moves blocks of memory rather than single
 * slots, so that even in very long orders its cost depends mostly on how much has changed.
 */
export class SlotOrder {
  private slots = new Int32Array(64);
  private size = 0;
  /** By slot: 1 if it is contained. */
  private contained = new Uint8Array(64);

  get length(): number {
    return this.size;
  }

  has(slot: number): boolean {
    return this.contained[slot] === 1;
  }

  at(place: number): number {
    return this.slots[place] as number;
  }

  /** A view of some of the slots in order; valid until the next change. */
  window(offset: number, limit: number): Int32Array {
    return this.slots.subarray(Math.min(offset, this.size), Math.min(offset + limit, this.size));
  }

  /** A copy of all slots in order. */
  copy(): Int32Array<ArrayBuffer> {
    return this.slots.slice(0, this.size);
  }

  /**
   * Replaces the content.
   *
   * @param slots in order; kept, not copied
   * @param isKept false: the slot is left out
   */
  replace(slots: Int32Array<ArrayBuffer>, isKept: (slot: number) => boolean): void {
    this.contained.fill(0);
    this.slots = slots;
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
    this.contained = marks;
    this.slots = new Int32Array(count);
    this.size = count;
    this.orderAs(other);
    if (this.size === count) return;
    this.contained = new Uint8Array(marks.length);
    for (const slot of this.window(0, this.size)) this.contained[slot] = 1;
  }

  /** Adopts the order of another one, for the slots contained here. */
  orderAs(other: SlotOrder): void {
    const { contained } = this;
    let place = 0;
    for (let from = 0; from < other.size && place < this.size; from += 1) {
      const slot = other.slots[from] as number;
      if (contained[slot] !== 1) continue;
      this.slots[place] = slot;
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
  firstAfter(isBefore: (slot: number) => boolean): number {
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (isBefore(this.slots[middle] as number)) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  private remove(removed: readonly number[]): void {
    const { slots, contained } = this;
    for (const slot of removed) contained[slot] = 0;
    let place = 0;
    for (let from = 0; from < this.size; from += 1) {
      const slot = slots[from] as number;
      if (contained[slot] !== 1) continue;
      slots[place] = slot;
      place += 1;
    }
    this.size = place;
  }

  /** From last to first, so that each block is moved once. */
  private add(sorted: readonly number[], compare: Compare): void {
    this.ensureCapacity(this.size + sorted.length);
    const { slots } = this;
    let end = this.size;
    for (let i = sorted.length - 1; i >= 0; i -= 1) {
      const slot = sorted[i] as number;
      const place = this.positionFor(slot, end, compare);
      slots.copyWithin(place + i + 1, place, end);
      slots[place + i] = slot;
      this.mark(slot);
      end = place;
    }
    this.size += sorted.length;
  }

  private positionFor(slot: number, end: number, compare: Compare): number {
    let [from, to] = [0, end];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (compare(this.slots[middle] as number, slot) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  private mark(slot: number): void {
    if (slot >= this.contained.length) {
      const wider = new Uint8Array(Math.max(slot + 1, 2 * this.contained.length));
      wider.set(this.contained);
      this.contained = wider;
    }
    this.contained[slot] = 1;
  }

  private ensureCapacity(size: number): void {
    if (size <= this.slots.length) return;
    const wider = new Int32Array(Math.max(size, Math.ceil(1.25 * this.slots.length)));
    wider.set(this.slots.subarray(0, this.size));
    this.slots = wider;
  }
}
