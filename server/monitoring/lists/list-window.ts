import type { LockFrame, LockListMessage } from '../../contract/console/lock-list-message';
import type { LockRow } from '../../contract/console/lock-row';
import type { ListView } from './list-view';
import type { LockTable } from './table/lock-table';

/** What a reader of a window has seen. */
export interface SeenWindow {
  /** Unlike any other's of this process. */
  number: number;
  /** Rows that have changed after it are news. */
  version: number;
  slots: Int32Array;
  ids: readonly string[];
  frame: LockFrame;
}

/** Readers that were cut off can go on from so many of the last. */
const KEPT_MAX = 64;

let lastNumber = 0;

/** A part of a view that pages follow, and what they were sent last. */
export class ListWindow {
  private readonly kept: SeenWindow[] = [];
  private readonly messages = new Map<SeenWindow, LockListMessage>();

  constructor(
    readonly view: ListView,
    private readonly table: LockTable,
    private readonly range: { offset: number; limit: number },
  ) {}

  /** What was seen last; null before the first. */
  get last(): SeenWindow | null {
    return this.kept.at(-1) ?? null;
  }

  /** What was seen by that number, if it is still known. */
  seen(number: number): SeenWindow | null {
    return this.kept.find((seen) => seen.number === number) ?? null;
  }

  /**
   * Looks at the window as it is now; the view is up to date.
   *
   * @param isBeat false: if nothing of it has changed, the answer is what was seen last
   */
  look(frame: LockFrame, isBeat: boolean): SeenWindow {
    const { table, last } = this;
    const { offset, limit } = this.range;
    const slots = this.view.order.window(offset, limit).slice();
    const version = table.log.end;
    if (!isBeat && last && this.isStill(last, slots, frame)) return last;
    const fresh = Array.from(slots, (slot) => table.at(slot)?.id ?? '');
    const ids = last && isSameOrder(last.ids, fresh) ? last.ids : fresh;
    lastNumber += 1;
    const seen = { number: lastNumber, version, slots, ids, frame };
    this.kept.push(seen);
    if (this.kept.length > KEPT_MAX) this.kept.shift();
    this.messages.clear();
    return seen;
  }

  whole({ slots, frame }: SeenWindow): LockListMessage {
    const page = { ...frame, rows: this.rowsOf(slots) };
    return { kind: 'whole', page, asOf: frame.asOf };
  }

  /** What brings a reader from there to here. Readers who come from the same place share it. */
  changes(from: SeenWindow, to: SeenWindow): LockListMessage {
    const known = this.messages.get(from);
    if (known) return known;
    const isInOrder = from.ids === to.ids || isSameOrder(from.ids, to.ids);
    const met = isInOrder ? null : new Set(from.ids);
    const { versions } = this.table.columns;
    const isNews = (slot: number, place: number) =>
      (versions[slot] as number) > from.version || met?.has(to.ids[place] ?? '') === false;
    const message: LockListMessage = {
      kind: 'changes',
      rows: this.rowsOf(to.slots.filter(isNews)),
      ...(isInOrder ? {} : { order: [...to.ids] }),
      offset: to.frame.offset,
      frame: frameChanges(from.frame, to.frame),
      asOf: to.frame.asOf,
    };
    if (to === this.last) this.messages.set(from, message);
    return message;
  }

  private isStill(last: SeenWindow, slots: Int32Array, frame: LockFrame): boolean {
    const { versions } = this.table.columns;
    return (
      slots.length === last.slots.length &&
      slots.every(
        (slot, i) => slot === last.slots[i] && (versions[slot] as number) <= last.version,
      ) &&
      Object.keys(frameChanges(last.frame, frame)).length === 0
    );
  }

  private rowsOf(slots: Int32Array): LockRow[] {
    return Array.from(slots).flatMap((slot) => this.table.shown(slot) ?? []);
  }
}

function isSameOrder(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, place) => id === b[place]);
}

function frameChanges(before: LockFrame, now: LockFrame): Partial<LockFrame> {
  const changed = (Object.keys(now) as (keyof LockFrame)[]).filter((key) => {
    if (key === 'asOf' || before[key] === now[key]) return false;
    return JSON.stringify(before[key]) !== JSON.stringify(now[key]);
  });
  return Object.fromEntries(changed.map((key) => [key, now[key]]));
}
