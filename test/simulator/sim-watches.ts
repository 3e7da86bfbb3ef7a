import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import type { StoreEngine } from '@/server/engine/lock-engine';
import { NameCount } from '@/server/engine/names/name-count';
import { TimeSlice } from '@/server/monitoring/lock-list/order/time-slice';
import { LockTable } from '@/server/monitoring/lock-list/table/lock-table';
import { CounterProjection } from '@/server/monitoring/projection/counter-projection';
import { KnownStores } from '@/server/monitoring/projection/known-stores';
import { RecordFollower } from '@/server/monitoring/projection/record-follower';
import { GrantRate } from '@/server/monitoring/rollups/grant-rate';
import { KnownBaselines } from '@/server/monitoring/rollups/known-baselines';
import { LockWatches } from '@/server/monitoring/watch/lock-watches';
import { WatchJournals } from '@/server/monitoring/watch/watch-journals';
import { WatchReader } from '@/server/monitoring/watch/watch-reader';
import type { HistorySource, RecordStore } from '@/server/storage/record-store';
import type { SimProcess } from './sim-process';

const FOLLOW_EVERY_MS = 150;
const REFRESH_EVERY_MS = 500;

/**
 * The real watches of a process over its real reading of the store. Work takes no time, as
 * everywhere in the simulation.
 */
export function startWatches(
  { world, clock, id }: SimProcess,
  connection: RecordStore & HistorySource,
  engine: StoreEngine,
): LockWatches {
  const store = world.flaws.deletions?.(connection) ?? connection;
  const backend = { id: 'default', store, engine, epochOf: () => 1 };
  const backends = [backend];
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
  repeat(FOLLOW_EVERY_MS, () => follower.follow(backend));
  repeat(REFRESH_EVERY_MS, () => table.refresh());
  return new LockWatches(journals, reader, slice, clock, id, { warn: () => {} });
}

function repeat(everyMs: number, run: () => Promise<unknown>): void {
  const again = async () => {
    await run().catch(() => undefined);
    setTimeout(again, everyMs);
  };
  setTimeout(again, everyMs);
}
