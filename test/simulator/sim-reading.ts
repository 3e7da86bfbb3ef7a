import type { ListAnswer } from '@/server/contract/lock/answers';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { NameCount } from '@/server/engine/names/name-count';
import { TimeSlice } from '@/server/monitoring/lock-list/order/time-slice';
import { LockTable } from '@/server/monitoring/lock-list/table/lock-table';
import { CounterProjection } from '@/server/monitoring/projection/counter-projection';
import { KnownStores } from '@/server/monitoring/projection/known-stores';
import type { MonitoredBackend } from '@/server/monitoring/projection/monitored-backend';
import { RecordFollower } from '@/server/monitoring/projection/record-follower';
import {
  buildServiceLockListing,
  listingFrame,
  type RowsFrom,
} from '@/server/monitoring/projection/service-lock-listing';
import { GrantRate } from '@/server/monitoring/rollups/grant-rate';
import { KnownBaselines } from '@/server/monitoring/rollups/known-baselines';
import { LockWatches } from '@/server/monitoring/watch/lock-watches';
import { WatchJournals } from '@/server/monitoring/watch/watch-journals';
import { WatchReader } from '@/server/monitoring/watch/watch-reader';
import type { SimProcess } from './sim-process';

const FOLLOW_EVERY_MS = 150;
const REFRESH_EVERY_MS = 500;

/** What a process answers from its reading of the store. */
export interface SimReading {
  watches: LockWatches;
  /** All locks. */
  list: () => Promise<ListAnswer>;
  /** The epoch of its first store, as it knows. */
  epochOf: () => number;
}

/** More than there are. */
const LIST_LIMIT = 100;

/**
 * The real watches and lists of a process over its real reading of the stores. Work takes no time,
 * as everywhere in the simulation.
 *
 * @param backends the backend, or all of its shards
 */
export function startReading({ clock, id }: SimProcess, backends: MonitoredBackend[]): SimReading {
  const namespaces = {
    get: async () => ({ backend: 'default' }),
    policyOf: () => DEFAULT_POLICY,
  };
  const names = new NameCount(() => clock.monotonic());
  const slice = () =>
    new TimeSlice(
      () => 0,
      () => 0,
      async () => {},
    );
  const stores = new KnownStores(clock, (store) => follower.readAt.get(store));
  const journals = new WatchJournals(backends, clock, stores);
  const refusals = { of: () => null, remove: () => {} };
  const evidence = { hasDeaths: false, reportsOn: () => [] };
  const baselines = new KnownBaselines(
    namespaces,
    { of: () => null, ofNamespace: () => null },
    refusals,
    evidence,
  );
  const table = new LockTable({ journals, backends, clock, baselines, namespaces, names, slice });
  const counters = new CounterProjection(backends, clock, namespaces, names, stores);
  const grantRate = new GrantRate(clock);
  const follower = new RecordFollower(table, counters, baselines, grantRate, clock);
  const reader = new WatchReader(table, backends, follower.readAt, clock, journals);
  for (const backend of backends) repeat(FOLLOW_EVERY_MS, () => follower.follow(backend));
  repeat(REFRESH_EVERY_MS, () => table.refresh());
  const list = async () => {
    const frame = listingFrame('default', stores.states(backends), follower.readAt, clock);
    await table.refresh();
    const input = { namespace: 'default', busy: false, limit: LIST_LIMIT };
    const from: RowsFrom = (isBefore) => table.listing.from(isBefore);
    return buildServiceLockListing(from, input, { frame, viewer: 'orders' }, slice());
  };
  const watches = new LockWatches(journals, reader, slice, clock, id, { warn: () => {} });
  return { watches, list, epochOf: () => backends[0]?.epochOf() ?? 1 };
}

function repeat(everyMs: number, run: () => Promise<unknown>): void {
  const again = async () => {
    await run().catch(() => undefined);
    setTimeout(again, everyMs);
  };
  setTimeout(again, everyMs);
}
