import type { RecordKey } from '../backends/record-store';
import type { Clock } from '../clock';
import type { ListAnswer, ListedLock } from '../domain/answers';
import { LockyardError } from '../domain/errors';
import type { ListInput } from '../domain/inputs';
import { holderViews, lockState } from '../domain/inspect-record';
import type { LockEngine } from '../engine/lock-engine';
import type { BoardRow } from './board-row';
import { FirstInOrder } from './first-in-order';

/** When a listing is made, and how its backend is. */
export interface ListingFrame {
  /** Of the backend, or of each of its shards, by what its rows are filed under. `now` is its clock. */
  frames: ReadonlyMap<string, { now: number; reachable: boolean }>;
  ageMs: number;
}

/**
 * @param parts the backend, or all of its shards
 * @param lookedAt when each was read last, on the clock that never steps
 * @throws LockyardError `BACKEND_DOWN` before all of them have been read for the first time
 */
export function listingFrame(
  backend: string,
  parts: { id: string; engine: LockEngine }[],
  lookedAt: ReadonlyMap<string, number>,
  clock: Clock,
): ListingFrame {
  const looks = parts.flatMap(({ id }) => lookedAt.get(id) ?? []);
  if (looks.length === 0 || looks.length < parts.length) {
    const text = `The backend "${backend}" has not been read yet.`;
    throw new LockyardError('BACKEND_DOWN', text, { retryAfterMs: 1_000 });
  }
  const frames = new Map(
    parts.map(({ id, engine }) => {
      const { clockOffsetMs, reachable } = engine.health();
      return [id, { now: clock.now() + clockOffsetMs, reachable }];
    }),
  );
  return { frames, ageMs: Math.round(clock.monotonic() - Math.min(...looks)) };
}

/** One page of a namespace's locks, by name. Looks at every row once and sorts only what is on the page. */
export function makeLockListing(
  rows: Iterable<BoardRow>,
  input: ListInput,
  frame: ListingFrame,
): ListAnswer {
  const byName = (a: ListedLock, b: ListedLock) => compareBytes(a.name, b.name);
  const first = new FirstInOrder<ListedLock>(input.limit + 1, byName);
  for (const kept of rows) {
    if (!isOnOrAfterPage(kept.key, input)) continue;
    const last = first.kept.at(-1);
    const isFull = first.kept.length > input.limit;
    if (isFull && last && compareBytes(kept.key.name, last.name) >= 0) continue;
    const lock = listedLock(kept, frame);
    if (!input.busy || lock.state !== 'free' || lock.queueLength > 0) first.take(lock);
  }
  const locks = first.kept.slice(0, input.limit);
  const isWhole = first.kept.length <= input.limit;
  return { locks, next: isWhole ? null : (locks.at(-1)?.name ?? null), ageMs: frame.ageMs };
}

function isOnOrAfterPage({ namespace, name }: RecordKey, input: ListInput): boolean {
  return (
    namespace === input.namespace &&
    (input.prefix === undefined || name.startsWith(input.prefix)) &&
    (input.after === undefined || compareBytes(name, input.after) > 0)
  );
}

function listedLock(
  { backend, key, record, isReadable, row: { unreadable } }: BoardRow,
  { frames }: ListingFrame,
): ListedLock {
  const { now, reachable } = frames.get(backend) ?? { now: 0, reachable: false };
  return {
    name: key.name,
    state: reachable && isReadable ? lockState(record, now) : 'unknown',
    rev: record.rev,
    holders: holderViews(record, now),
    queueLength: record.queue.length,
    ...(unreadable === undefined ? {} : { unreadable }),
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
