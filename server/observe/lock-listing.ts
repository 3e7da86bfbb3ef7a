import type { RecordKey } from '../backends/record-store';
import type { ListAnswer, ListedLock } from '../domain/answers';
import type { ListInput } from '../domain/inputs';
import { holderViews, lockState } from '../domain/inspect-record';
import type { BoardRow } from './board-row';

/** When a listing is made, and how its backend is. */
export interface ListingFrame {
  /** Of the backend, or of each of its shards, by what its rows are filed under. `now` is its clock. */
  frames: ReadonlyMap<string, { now: number; reachable: boolean }>;
  ageMs: number;
}

/** One page of a namespace's locks, by name. Looks at every row once and sorts only what is on the page. */
export function makeLockListing(
  rows: Iterable<BoardRow>,
  input: ListInput,
  frame: ListingFrame,
): ListAnswer {
  const first = new FirstNames(input.limit + 1);
  for (const kept of rows) {
    if (!isOnOrAfterPage(kept.key, input) || !first.mayTake(kept.key.name)) continue;
    const lock = listedLock(kept, frame);
    if (!input.busy || lock.state !== 'free' || lock.queueLength > 0) first.take(lock);
  }
  const locks = first.locks.slice(0, input.limit);
  const isWhole = first.locks.length <= input.limit;
  return { locks, next: isWhole ? null : (locks.at(-1)?.name ?? null), ageMs: frame.ageMs };
}

function isOnOrAfterPage({ namespace, name }: RecordKey, input: ListInput): boolean {
  return (
    namespace === input.namespace &&
    (input.prefix === undefined || name.startsWith(input.prefix)) &&
    (input.after === undefined || compareBytes(name, input.after) > 0)
  );
}

/** The locks with the first names of all that were offered, in order. */
class FirstNames {
  readonly locks: ListedLock[] = [];

  constructor(private readonly most: number) {}

  mayTake(name: string): boolean {
    const last = this.locks.at(-1);
    return this.locks.length < this.most || !last || compareBytes(name, last.name) < 0;
  }

  take(lock: ListedLock): void {
    let [from, to] = [0, this.locks.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.locks[middle];
      if (other && compareBytes(other.name, lock.name) < 0) from = middle + 1;
      else to = middle;
    }
    this.locks.splice(from, 0, lock);
    if (this.locks.length > this.most) this.locks.pop();
  }
}

function listedLock(
  { backend, key, record, isReadable }: BoardRow,
  { frames }: ListingFrame,
): ListedLock {
  const { now, reachable } = frames.get(backend) ?? { now: 0, reachable: false };
  return {
    name: key.name,
    state: reachable && isReadable ? lockState(record, now) : 'unknown',
    rev: record.rev,
    holders: holderViews(record, now),
    queueLength: record.queue.length,
  };
}

/**
 * The order of UTF-8 bytes, which is that of code points. JavaScript's own order differs where a half of a surrogate pair
 * meets a character above it.
 */
function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  for (let i = 0; ; i += 1) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    if (Number.isNaN(x)) return -1;
    if (Number.isNaN(y)) return 1;
    const [p, q] = [isSurrogate(x), isSurrogate(y)];
    return p === q ? x - y : p ? 1 : -1;
  }
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
