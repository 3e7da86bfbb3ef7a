import { LockyardError } from '../../contract/errors';
import type { ListAnswer, ListedLock } from '../../contract/lock/answers';
import type { ListInput } from '../../contract/lock/inputs';
import { holderViews, lockState, permitsView } from '../../core/lock/lock-answers';
import type { Clock } from '../../platform/clock';
import { compareBytes } from '../lock-list/order/compare-bytes';
import type { TimeSlice } from '../lock-list/order/time-slice';
import type { BackendState } from './monitored-backend';
import type { ProjectionRow } from './projection-row';

/** The instant of a listing, and the state of its backend. */
export interface ListingFrame {
  /** The state of the backend, or of each of its shards, by store id; `now`: the store's clock. */
  frames: ReadonlyMap<string, { now: number; reachable: boolean }>;
  ageMs: number;
}

/** What a listing is made of, and who reads it. */
export interface ListingReader {
  frame: ListingFrame;
  /** The service that sees the traces of its own holds. */
  viewer: string;
}

/**
 * The frame of a listing that is made now.
 *
 * @param parts the backend, or all of its shards
 * @param readAt when each was read last, on the monotonic clock
 * @throws LockyardError `BACKEND_DOWN` before all of them have been read for the first time
 */
export function listingFrame(
  backend: string,
  parts: readonly Pick<BackendState, 'id' | 'engine'>[],
  readAt: ReadonlyMap<string, number>,
  clock: Clock,
): ListingFrame {
  const readInstants = parts.flatMap(({ id }) => readAt.get(id) ?? []);
  if (readInstants.length === 0 || readInstants.length < parts.length) {
    const text = `The backend "${backend}" has not been read yet.`;
    throw new LockyardError('BACKEND_DOWN', text, { retryAfterMs: 1_000 });
  }
  const frames = new Map(
    parts.map(({ id, engine }) => {
      const { clockOffsetMs, reachable } = engine.health();
      return [id, { now: clock.now() + clockOffsetMs, reachable }];
    }),
  );
  return { frames, ageMs: Math.round(clock.monotonic() - Math.min(...readInstants)) };
}

/** Rows in the order of namespace and name, from the first one for which `isBefore` is false. */
export type RowsFrom = (isBefore: (row: ProjectionRow) => boolean) => Iterable<ProjectionRow>;

/** One page of a namespace's locks, by name. Reads only locks that can be on the page. */
export async function buildServiceLockListing(
  rowsFrom: RowsFrom,
  input: ListInput,
  { frame, viewer }: ListingReader,
  slice: TimeSlice,
): Promise<ListAnswer> {
  const locks: ListedLock[] = [];
  const prefix = input.prefix ?? '';
  let after: string | null = input.after ?? null;
  for (;;) {
    const last = after;
    const isBefore = ({ key: { namespace, name } }: ProjectionRow) =>
      namespace < input.namespace ||
      (namespace === input.namespace &&
        (compareBytes(name, prefix) < 0 || (last !== null && compareBytes(name, last) <= 0)));
    let isAtEnd = true;
    for (const row of rowsFrom(isBefore)) {
      const { namespace, name } = row.key;
      if (namespace !== input.namespace || !name.startsWith(prefix)) break;
      after = name;
      const lock = listedLock(row, { frame, viewer });
      if (!input.busy || lock.state !== 'free' || lock.queueLength > 0) locks.push(lock);
      if (locks.length > input.limit) break;
      isAtEnd = !slice.isOver;
      if (!isAtEnd) break;
    }
    if (isAtEnd || locks.length > input.limit) break;
    // Rows can be added and removed meanwhile, so the position is looked up again.
    await slice.pause();
  }
  const isWhole = locks.length <= input.limit;
  const page = locks.slice(0, input.limit);
  return { locks: page, next: isWhole ? null : (page.at(-1)?.name ?? null), ageMs: frame.ageMs };
}

/** One lock of a listing. */
export function listedLock(
  { backend, key, record, isReadable, unreadableBecause }: ProjectionRow,
  { frame: { frames }, viewer }: ListingReader,
): ListedLock {
  const { now, reachable } = frames.get(backend) ?? { now: 0, reachable: false };
  return {
    name: key.name,
    state: reachable && isReadable ? lockState(record, now) : 'unknown',
    rev: record.rev,
    holders: holderViews(record, now, viewer),
    ...permitsView(record, now),
    queueLength: record.queue.length,
    ...(unreadableBecause === null ? {} : { unreadable: unreadableBecause }),
  };
}
