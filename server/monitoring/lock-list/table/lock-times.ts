import type { ProjectionRow } from '../../projection/projection-row';

const NEVER = Number.POSITIVE_INFINITY;

/** When each lock is next due. Instants are of the backends' clocks, with indexes for each. */
export class LockTimes {
  /** When the first lease of each lock expires. */
  private readonly expiries = new Map<string, TimeIndex>();
  /** When the status of each lock can change next. */
  private readonly deadlines = new Map<string, TimeIndex>();
  private readonly slotsWithQueue = new Set<number>();

  /** Reads the times of a record. */
  read(slot: number, { backend, firstExpiryAt, waiters }: ProjectionRow): void {
    indexOf(this.expiries, backend).set(slot, firstExpiryAt);
    if (waiters > 0) this.slotsWithQueue.add(slot);
    else this.slotsWithQueue.delete(slot);
  }

  /** @param at `Infinity`: time alone will not change its status */
  setDeadline(slot: number, { backend }: ProjectionRow, at: number): void {
    indexOf(this.deadlines, backend).set(slot, at);
  }

  remove(slot: number, { backend }: ProjectionRow): void {
    this.slotsWithQueue.delete(slot);
    indexOf(this.expiries, backend).set(slot, NEVER);
    indexOf(this.deadlines, backend).set(slot, NEVER);
  }

  /** Removes and returns the slots whose deadline is over. @param nowOf the clock of a backend */
  *takeDue(nowOf: (backend: string) => number): Generator<number> {
    for (const [backend, index] of this.deadlines) {
      const now = nowOf(backend);
      for (let slot = index.takeDue(now); slot >= 0; slot = index.takeDue(now)) yield slot;
    }
  }

  /** Slots whose lease has expired by the instant of their backend, in no order. */
  *expired(instants: ReadonlyMap<string, number>): Generator<number> {
    for (const [backend, index] of this.expiries) yield* index.due(instants.get(backend) ?? 0);
  }

  /** Slots of locks with waiters. */
  queued(): Iterable<number> {
    return this.slotsWithQueue;
  }
}

function indexOf(indexes: Map<string, TimeIndex>, backend: string): TimeIndex {
  const known = indexes.get(backend);
  if (known) return known;
  const index = new TimeIndex();
  indexes.set(backend, index);
  return index;
}

/**
 * Slots ordered by an instant: a binary heap that knows the position of each slot. A slot occurs at
 * most once, and each change takes logarithmic time.
 */
class TimeIndex {
  private heap = new Int32Array(64);
  private size = 0;
  /** By slot: its position in the heap plus one; 0 for none. */
  private positions = new Int32Array(64);
  /** By slot. */
  private instants = new Float64Array(64);

  /** @param at `Infinity`: removes the slot */
  set(slot: number, at: number): void {
    this.ensureCapacity(slot);
    const place = (this.positions[slot] as number) - 1;
    if (at === Number.POSITIVE_INFINITY) {
      if (place >= 0) this.removeAt(place);
      return;
    }
    this.instants[slot] = at;
    if (place < 0) {
      this.setAt(this.size, slot);
      this.size += 1;
      this.rise(this.size - 1);
    } else {
      this.rise(place);
      this.sink((this.positions[slot] as number) - 1);
    }
  }

  /** Removes and returns the earliest slot, if it is due by `now`; -1 if there is none. */
  takeDue(now: number): number {
    const first = this.heap[0] as number;
    if (this.size === 0 || (this.instants[first] as number) > now) return -1;
    this.removeAt(0);
    return first;
  }

  /** Every slot whose instant is not after `now`, in no order. */
  due(now: number): number[] {
    const found: number[] = [];
    const open = [0];
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      const slot = this.heap[place] as number;
      if (place >= this.size || (this.instants[slot] as number) > now) continue;
      found.push(slot);
      open.push(2 * place + 1, 2 * place + 2);
    }
    return found;
  }

  private removeAt(place: number): void {
    const slot = this.heap[place] as number;
    this.positions[slot] = 0;
    this.size -= 1;
    if (place === this.size) return;
    const moved = this.heap[this.size] as number;
    this.setAt(place, moved);
    this.rise(place);
    this.sink((this.positions[moved] as number) - 1);
  }

  private rise(from: number): void {
    const slot = this.heap[from] as number;
    const at = this.instants[slot] as number;
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.heap[parent] as number;
      if ((this.instants[above] as number) <= at) break;
      this.setAt(place, above);
      place = parent;
    }
    this.setAt(place, slot);
  }

  private sink(from: number): void {
    const slot = this.heap[from] as number;
    const at = this.instants[slot] as number;
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.instantAt(child + 1) < this.instantAt(child)) child += 1;
      if (this.instantAt(child) >= at) break;
      this.setAt(place, this.heap[child] as number);
      place = child;
    }
    this.setAt(place, slot);
  }

  private instantAt(place: number): number {
    return this.instants[this.heap[place] as number] as number;
  }

  private setAt(place: number, slot: number): void {
    this.heap[place] = slot;
    this.positions[slot] = place + 1;
  }

  private ensureCapacity(slot: number): void {
    if (slot < this.positions.length) return;
    const length = Math.max(slot + 1, 2 * this.positions.length);
    const { heap, positions, instants } = this;
    this.heap = new Int32Array(length);
    this.heap.set(heap);
    this.positions = new Int32Array(length);
    this.positions.set(positions);
    this.instants = new Float64Array(length);
    this.instants.set(instants);
  }
}
