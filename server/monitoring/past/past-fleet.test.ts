import { expect, it } from 'vitest';
import { type BackendHealth, healthOfKeeper } from '../../contract/console/backend-health';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import type { Hold, Waiter } from '../../core/lock/lock-record';
import { TimeSlice } from '../lock-list/order/time-slice';
import type { BackendState } from '../projection/monitored-backend';
import { ProjectionRow } from '../projection/projection-row';
import { TableRig } from '../testing/table-rig';
import { PastFleet } from './past-fleet';

const AT = 1_000_000_000;

const EVERY_LOCK = {
  attention: false,
  sort: 'name',
  descending: false,
  offset: 0,
  limit: 1_000,
} as const;

/** A lock with one holder and one waiter. */
function lockOf(
  name: string,
  backend: string,
  at: number,
  owners: [holder: string, waiter: string],
) {
  const rig = new TableRig();
  rig.store(name, { waiters: 1 });
  const { record, key } = [...rig.truth.values()][0] as ProjectionRow;
  const [holder, waiter] = owners;
  const hold = { ...(record.holds[0] as Hold), owner: holder };
  const wait = { ...(record.queue[0] as Waiter), owner: waiter };
  const source = { id: backend, publicId: backend };
  return ProjectionRow.of(source, key, at, { ...record, holds: [hold], queue: [wait] });
}

const backendOf = (id: string, clockOffsetMs: number): BackendState => ({
  id,
  engine: {
    health: () => {
      return { id, kind: 'mysql', reachable: true, latencyMs: 1, silentForMs: 0, clockOffsetMs };
    },
  },
});

const fleetOf = (rows: ProjectionRow[], backends: BackendState[]) => {
  const policy = DEFAULT_POLICY;
  return PastFleet.of({
    at: AT,
    rows,
    backends,
    unread: new Set(),
    namespaces: { policyOf: () => policy },
    baselines: {
      hasDeaths: false,
      of: () => ({ ownHold: null, gaveUp: null, policy }),
      reportsOn: () => [],
    },
    clock: { now: () => AT, monotonic: () => AT },
    slice: () => new TimeSlice(() => AT),
    turns: { run: async (build) => build(new TimeSlice(() => AT)) },
  });
};

it('a deadlock over two backends is shown as of then, even if their clocks drifted', async () => {
  const fleet = await fleetOf(
    // Read when the clocks were 2 and 5 ms ahead of where their present offsets put them.
    [lockOf('a', 'one', AT + 12, ['p', 'q']), lockOf('b', 'two', AT + 25, ['q', 'p'])],
    [backendOf('one', 10), backendOf('two', 20)],
  );
  const { heads } = await fleet.waitGraph();
  expect(heads).toHaveLength(1);
  expect(heads[0]?.deadlock?.steps).toHaveLength(2);
});

it('all pages count the same waiters, even if the clock of their backend went ahead', async () => {
  const row = lockOf('a', 'one', AT + 10, ['p', 'q']);
  const [waiter] = row.record.queue as [Waiter];
  const queue = [{ ...waiter, patienceMs: AT + 11 - waiter.enqueuedAt }];
  const past = ProjectionRow.of({ id: 'one', publicId: 'one' }, row.key, row.readAt, {
    ...row.record,
    queue,
  });
  const fleet = await fleetOf([past], [backendOf('one', 15)]);
  const { rows } = await fleet.page(EVERY_LOCK);
  const { waiting } = await fleet.waitGraph();
  const holders = await fleet.holdersPage();
  expect([rows[0]?.waiters, waiting, holders.waiting]).toEqual([1, 1, 1]);
});

it('locks of a shard go by its clock as of then, on every page', async () => {
  const health: BackendHealth = {
    ...{ id: 'all', kind: 'mysql', reachable: true, latencyMs: 1, silentForMs: 0 },
    clockOffsetMs: 9_000,
    shards: ['all.a', 'all.b'].map((id, i) => {
      const offset = { clockOffsetMs: i * 9_000 };
      return {
        id,
        name: id,
        kind: 'mysql',
        reachable: true,
        latencyMs: 1,
        silentForMs: 0,
        ...offset,
      };
    }),
  };
  const shard = { backend: 'all', health: () => health };
  const { key, record } = lockOf('a', 'all.a', AT, ['p', 'q']);
  const source = { id: 'all.a', publicId: 'all' };
  const fleet = await fleetOf(
    // Read when the clock was 12 ms ahead of where its present offset puts it.
    [ProjectionRow.of(source, key, AT + 12, record)],
    ['all.a', 'all.b'].map((id, i) => ({ ...backendOf(id, i * 9_000), shard })),
  );
  const kept = { backend: 'all', shard: 'all.a' };
  const page = await fleet.page(EVERY_LOCK);
  expect(page.rows).toEqual([expect.objectContaining(kept)]);
  expect(healthOfKeeper(page.backends, kept)?.clockOffsetMs).toBe(12);
  expect((await fleet.waitGraph()).locks).toEqual([expect.objectContaining(kept)]);
  const [process] = (await fleet.holdersPage()).rows.filter(({ holds }) => holds > 0);
  const { locks } = await fleet.process(process?.id ?? '');
  expect(locks).toEqual([expect.objectContaining(kept)]);
  expect(fleet.healthOf(kept)).toMatchObject({ id: 'all', clockOffsetMs: 12 });
});

it('locks of a store that is no longer configured are shown as they were', async () => {
  const fleet = await fleetOf(
    [lockOf('a', 'former', AT, ['p', 'q']), lockOf('b', 'one', AT + 10, ['q', 'p'])],
    [backendOf('one', 10)],
  );
  const { rows } = await fleet.page(EVERY_LOCK);
  expect(rows.map(({ name, status }) => [name, status])).toEqual([
    ['a', 'contended'],
    ['b', 'contended'],
  ]);
  const { heads, backends } = await fleet.waitGraph();
  expect(heads[0]?.deadlock?.steps).toHaveLength(2);
  expect(backends.map(({ id }) => id)).toEqual(['one']);
  expect((await fleet.holdersPage()).rows.map(({ silentBackends }) => silentBackends)).toEqual([
    [],
    [],
  ]);
});

it('the number of renewals is a lower bound if only the latest ones are known', async () => {
  const row = lockOf('a', 'one', AT, ['p', 'q']);
  const fleet = await fleetOf([row], [backendOf('one', 0)]);
  const hold = { ...(row.record.holds[0] as Hold), renewedAt: AT - 1_000 };
  const evidenceOf = (known: Partial<Hold>) =>
    fleet.livenessOf(row.id, { ...hold, ...known }, AT).evidence;
  expect(evidenceOf({ renewals: 1, areRenewalsPartial: true })).toBe('renewed at least once');
  expect(evidenceOf({ renewals: 38, areRenewalsPartial: true })).toBe('renewed at least 38 times');
  expect(evidenceOf({ renewals: 38 })).toBe('renewed 38 times');
});
