import type { ListedLock } from '../../contract/lock/answers';
import { WATCH_PAGE_MAX } from '../../contract/lock/watch';
import type { Clock } from '../../platform/clock';
import { recordId } from '../../storage/record-id';
import type { TimeSlice } from '../lock-list/order/time-slice';
import type { LockTable } from '../lock-list/table/lock-table';
import { type MonitoredBackend, publicId } from '../projection/monitored-backend';
import { rowId } from '../projection/projection-row';
import {
  buildServiceLockListing,
  type ListingFrame,
  listedLock,
  listingFrame,
  type RowsFrom,
} from '../projection/service-lock-listing';
import type { WatchJournals } from './watch-journals';
import type { WatchTarget } from './watch-target';

/**
 * For this long after an outage a watch may still have received `unknown` for a lock; a process
 * that did not notice the outage would not send it the present state.
 */
const AFTER_OUTAGE_MS = 2_000;

/** Reads the states of watched locks from what this process has read of their stores. */
export class WatchReader {
  /** By backend: when it last did not respond, on the monotonic clock. */
  private readonly silentAt = new Map<string, number>();

  /** @param readAt when each store was read last, on the monotonic clock */
  constructor(
    private readonly table: LockTable,
    private readonly backends: readonly MonitoredBackend[],
    private readonly readAt: ReadonlyMap<string, number>,
    private readonly clock: Clock,
    private readonly journals: WatchJournals,
  ) {}

  /**
   * The present states of some watched locks.
   *
   * @throws LockyardError `BACKEND_DOWN` before the first reading of the backend
   */
  states({ backend, namespace, viewer }: WatchTarget, names: readonly string[]): ListedLock[] {
    const frame = this.frameOf(backend);
    const state = this.unwrittenState(backend, frame);
    return names.map((name) => {
      const row = this.table.byId(rowId(backend, recordId({ namespace, name })));
      if (row) return listedLock(row, { frame, viewer });
      return { name, state, rev: 0, holders: [], queueLength: 0 };
    });
  }

  /**
   * The present states of all watched locks, page by page; by prefix, of those that are not free.
   *
   * @param after the last name of the page before
   * @param slice counts the work
   * @returns `next` is null on the last page
   * @throws LockyardError as `states` does
   */
  async page(
    target: WatchTarget,
    after: string | null,
    slice: TimeSlice,
  ): Promise<{ locks: ListedLock[]; next: string | null }> {
    const { backend, namespace, names, prefix, viewer } = target;
    if (names) {
      const begin = after === null ? 0 : names.indexOf(after) + 1;
      const page = names.slice(begin, begin + WATCH_PAGE_MAX);
      const isLast = begin + page.length >= names.length;
      return { locks: this.states(target, page), next: isLast ? null : (page.at(-1) ?? null) };
    }
    const frame = this.frameOf(backend);
    await slice.wait(this.table.refresh());
    const rowsFrom: RowsFrom = (isBefore) => this.table.listing.from(isBefore);
    const input = { namespace, prefix, busy: true, limit: WATCH_PAGE_MAX };
    const from = after === null ? input : { ...input, after };
    return buildServiceLockListing(rowsFrom, from, { frame, viewer }, slice);
  }

  /** Everything written up to this instant of the backend's clock has been read; 0: unknown. */
  readUpTo(backend: string): number {
    const now = this.clock.monotonic();
    if (!this.journals.isReachable(backend)) this.silentAt.set(backend, now);
    const silentAt = this.silentAt.get(backend) ?? Number.NEGATIVE_INFINITY;
    return now - silentAt < AFTER_OUTAGE_MS ? 0 : this.readUpToOf(backend, this.partsOf(backend));
  }

  /** The same for the shards that respond, while others do not; infinity: none responds. */
  readUpToOfKnown(backend: string): number {
    const known = this.partsOf(backend).filter((part) => this.journals.isKnown(part));
    return known.length === 0 ? Number.POSITIVE_INFINITY : this.readUpToOf(backend, known);
  }

  private readUpToOf(backend: string, parts: readonly MonitoredBackend[]): number {
    const instants = parts.map(({ id }) => this.readAt.get(id) ?? Number.NEGATIVE_INFINITY);
    const ageMs = this.clock.monotonic() - Math.min(...instants);
    return Number.isFinite(ageMs) ? this.journals.instantOf(backend) - ageMs : 0;
  }

  private frameOf(backend: string): ListingFrame {
    const parts = this.partsOf(backend);
    const { frames, ageMs } = listingFrame(backend, parts, this.readAt, this.clock);
    const known = parts.map((part) => {
      const { now = 0 } = frames.get(part.id) ?? {};
      return [part.id, { now, reachable: this.journals.isKnown(part) }] as const;
    });
    return { frames: new Map(known), ageMs };
  }

  /** The backend, or all of its shards. */
  private partsOf(backend: string): MonitoredBackend[] {
    return this.backends.filter((each) => publicId(each) === backend);
  }

  /** The state of a lock without a record: free if its store responds and grants locks. */
  private unwrittenState(backend: string, { frames }: ListingFrame): ListedLock['state'] {
    const isKnown = [...frames.values()].every(({ reachable }) => reachable);
    if (!isKnown) return 'unknown';
    return this.journals.isQuiet(backend) ? 'delayed' : 'free';
  }
}
