import type { LockFrame, LockListMessage } from '../../contract/console/lock-list-message';
import type { LockRow } from '../../contract/console/lock-row';
import type { ListView } from './list-view';
import type { LockTable } from './table/lock-table';

/** What a reader of a window has received. */
export interface WindowState {
  /** Unique in this process. */
  number: number;
  /** Rows that changed after this version are new to the reader. */
  version: number;
  slots: Int32Array;
  ids: readonly string[];
  frame: LockFrame;
}

/** How many past states a reader can resume from after a lost connection. */
const STATES_MAX = 64;

let lastNumber = 0;

/** A part of a view that pages follow, and what they last received. */
export class ListWindow {
  private readonly states: WindowState[] = [];
  private readonly messages = new Map<WindowState, LockListMessage>();

  constructor(
    readonly view: ListView,
    private readonly table: LockTable,
    private readonly range: { offset: number; limit: number },
  ) {}

  /** What was last sent; null before the first. */
  get last(): WindowState | null {
    return this.states.at(-1) ?? null;
  }

  /** What was sent under that number, if it is still known. */
  find(number: number): WindowState | null {
    return this.states.find((seen) => seen.number === number) ?? null;
  }

  /**
   * Reads the window's current state; the view must be up to date.
   *
   * @param isKeepAlive false: if nothing in it has changed, returns what was last sent
   */
  read(frame: LockFrame, isKeepAlive: boolean): WindowState {
    const { table, last } = this;
    const { offset, limit } = this.range;
    const slots = this.view.order.window(offset, limit).slice();
    const version = table.log.end;
    if (!isKeepAlive && last && this.isUnchanged(last, slots, frame)) return last;
    const fresh = Array.from(slots, (slot) => table.at(slot)?.id ?? '');
    const ids = last && isSameOrder(last.ids, fresh) ? last.ids : fresh;
    lastNumber += 1;
    const seen = { number: lastNumber, version, slots, ids, frame };
    this.states.push(seen);
    if (this.states.length > STATES_MAX) this.states.shift();
    this.messages.clear();
    return seen;
  }

  snapshot({ slots, frame }: WindowState): LockListMessage {
    const page = { ...frame, rows: this.rowsOf(slots) };
    return { kind: 'whole', page, asOf: frame.asOf };
  }

  /** The message that takes a reader from one state to the next; shared by equal readers. */
  changes(from: WindowState, to: WindowState): LockListMessage {
    const known = this.messages.get(from);
    if (known) return known;
    const isInOrder = from.ids === to.ids || isSameOrder(from.ids, to.ids);
    const knownIds = isInOrder ? null : new Set(from.ids);
    const { versions } = this.table.columns;
    const isNews = (slot: number, place: number) =>
      (versions[slot] as number) > from.version || knownIds?.has(to.ids[place] ?? '') === false;
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

  private isUnchanged(last: WindowState, slots: Int32Array, frame: LockFrame): boolean {
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
    return Array.from(slots).flatMap((slot) => this.table.lockRow(slot) ?? []);
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
