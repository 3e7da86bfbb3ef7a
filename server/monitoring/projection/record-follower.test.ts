import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listInput } from '../../contract/lock/inputs';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { MINUTE_MS } from '../../core/time-units';
import { NameCount } from '../../engine/names/name-count';
import { EngineRig, type Member, release, takeLock } from '../../engine/testing/engine-rig';
import { PASS } from '../../engine/testing/faulty-store';
import { systemClock } from '../../platform/clock';
import { TestClock } from '../../platform/testing/test-clock';
import { freshKey, stored } from '../../storage/conformance/testing/changes';
import { recordId } from '../../storage/record-id';
import { HolderEvidence } from '../liveness/holder-evidence';
import { KnownRefusals, writtenPart } from '../refusals/known-refusals';
import { HoldBaselines } from '../rollups/hold-baselines';
import { readPosition } from '../watch/watch-position';
import { watchTarget } from '../watch/watch-target';
import { LockProjection } from './lock-projection';
import type { MonitoredBackend } from './monitored-backend';
import { rowId } from './projection-row';

/** More than one reading takes. */
const MANY_COMMITS = 10_100;

const LEASE = { leaseMs: 600_000 };

let rig: EngineRig;
let member: Member;
let backend: MonitoredBackend;
let clock: TestClock;
let projections: LockProjection[];

beforeEach(async () => {
  rig = await EngineRig.open('sqlite');
  member = await rig.join();
  const { faults: store, engine } = member;
  backend = { id: 'default', store, engine, epochOf: () => 1 };
  clock = new TestClock();
  projections = [];
});
afterEach(async () => {
  for (const projection of projections) await projection.close();
  await rig.close();
});

/** Another process's view of the store, which reads when the test says so. */
async function project(processId: string, refusals = new KnownRefusals()): Promise<LockProjection> {
  const publicIds = [{ id: 'default', publicId: 'default' }];
  const projection = new LockProjection({
    backends: [backend],
    clock,
    log: pino({ level: 'silent' }),
    namespaces: { get: async () => ({ backend: 'default' }), policyOf: () => DEFAULT_POLICY },
    holdBaselines: new HoldBaselines(rig.under.database, publicIds, clock),
    refusals,
    names: new NameCount(() => clock.monotonic()),
    evidence: new HolderEvidence(rig.under.database, [backend], clock),
    processId,
  });
  projections.push(projection);
  await projection.follow(backend);
  return projection;
}

/** As if many more commits of its lock had followed the last one. */
async function repeatLastCommit(times = MANY_COMMITS): Promise<void> {
  const repeat = `INSERT INTO lock_history (at, changes, took)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${times})
    SELECT at, changes, took FROM n, (SELECT * FROM lock_history ORDER BY id DESC LIMIT 1)`;
  await rig.under.database.sqlite?.write((client) => client.execute(repeat));
}

it('a store counts as read up to now only once the end of its history has been read', async () => {
  const projection = await project('p1');
  const { namespace, ...key } = freshKey();
  const list = () => projection.listing('default', listInput.parse({ namespace }), 'orders');
  await takeLock(member, { namespace, name: 'busy' }, 'w1', LEASE);
  await repeatLastCommit();
  await takeLock(member, { namespace, ...key }, 'w2', LEASE);
  clock.pass(7_000);

  await projection.follow(backend);
  expect(await list()).toMatchObject({ ageMs: 7_000, locks: [{ name: 'busy' }] });
  await projection.follow(backend);
  expect(await list()).toMatchObject({ ageMs: 0 });
  expect((await list()).locks.map(({ name }) => name)).toContain(key.name);
});

it('thousands of changes a second are read once a second if no page or watch follows', async () => {
  const projection = await project('p1');
  const pauseMs = projection.followPause(backend);
  const pauseAfter = async (changes: number, passedMs: number) => {
    await takeLock(member, freshKey(), 'w1', LEASE);
    await repeatLastCommit(changes);
    clock.pass(passedMs);
    await projection.follow(backend);
    return pauseMs();
  };
  expect(pauseMs()).toBe(150);
  expect(await pauseAfter(200, 150)).toBe(150);
  expect(await pauseAfter(500, 150)).toBe(1_000);
  const leave = projection.subscribe(() => {});
  expect(pauseMs()).toBe(150);
  leave();
  expect(pauseMs()).toBe(1_000);
  // More commits than one reading takes.
  expect(await pauseAfter(MANY_COMMITS, 1_000)).toBe(150);
  expect(await pauseAfter(2_000, 1_000)).toBe(1_000);
  expect(await pauseAfter(500, 1_000)).toBe(150);
});

it('a full read ends at its next page once the server stops, and is discarded', async () => {
  const keys = Array.from({ length: 250 }, freshKey);
  await Promise.all(keys.map((key) => takeLock(member, key, 'w1', LEASE)));
  let pages = 0;
  member.faults.onScan = () => {
    pages += 1;
    void projections.at(-1)?.close();
    return PASS;
  };
  const projection = await project('p1');
  expect({ pages, isRead: projection.isRead('default') }).toEqual({ pages: 1, isRead: false });
  // Some of these locks are known to be held, and more may be.
  const { held } = (await projection.tallies())(keys[0]?.namespace ?? '', 'default');
  expect([held, projection.healths()]).toMatchObject([null, [{ unreadForMs: 0 }]]);
});

it('nothing is kept of a lock that another process deleted', async () => {
  const [refusals, key] = [new KnownRefusals(), freshKey()];
  const projection = await project('p1', refusals);
  const { token } = await takeLock(member, key, 'w1');
  const id = rowId('default', recordId(key));
  const all = { attempts: 1, token, firstAt: clock.now(), lastAt: clock.now() };
  const counts = { all, owners: [], others: null };
  refusals.put(id, writtenPart({ process: 'p2', minute: MINUTE_MS, counts }));
  await release(member, key, 'w1', token);
  await projection.follow(backend);
  expect(refusals.of(id)).toMatchObject({ all });
  const { rev, writer } = await stored(rig.under.store, key);
  await rig.under.store.deleteRecords([{ key, rev, writer }]);
  await projection.resync(backend);
  expect(refusals.of(id)).toBeNull();
});

it('a backend is read completely every 15 s, within 0.5 % of the time', async () => {
  const projection = await project('p1');
  const pausesAfter = async (scanMs: number) => {
    member.faults.onScan = () => {
      clock.pass(scanMs);
      return PASS;
    };
    await projection.resync(backend);
    return projection.resyncPauseMs(backend);
  };
  expect(projection.resyncPauseMs(backend)).toBe(15_000);
  expect(await pausesAfter(10)).toBe(15_000);
  expect(await pausesAfter(500)).toBe(100_000);
  expect(await pausesAfter(60_000)).toBe(600_000);
  expect(await pausesAfter(10)).toBe(15_000);
});

it('deleting a copy that a reshard left on another shard removes no listed lock', async () => {
  const key = freshKey();
  const { token } = await takeLock(member, key, 'w1');
  await release(member, key, 'w1', token);
  const projection = await project('p1');
  clock.pass(systemClock.now() + 20 * MINUTE_MS - clock.now());
  const health = () => member.engine.health();
  const shard = { backend: 'default', owns: () => false, health };
  projection.remove({ ...backend, id: 'default/old', shard }, [key]);
  expect(projection.row(key.namespace, key.name)).not.toBeNull();
});

it('a watch misses nothing that the process of its last request had not read yet', async () => {
  const [behind, ahead] = [await project('p1'), await project('p2')];
  const { namespace, name } = freshKey();
  const target = watchTarget('default', 'orders', { namespace, names: [name] });
  const ask = async (at: LockProjection, since: string | null) => {
    const pace = {
      waitMs: 1,
      signal: new AbortController().signal,
      onWaiting: () => {},
      isPolled: true,
    };
    const from = since === null ? null : readPosition(since);
    for await (const answer of at.watches.follow(target, from, pace)) return answer;
    throw new Error('The watch has ended.');
  };
  const first = await ask(behind, null);
  await ask(ahead, null);
  await takeLock(member, { namespace, name: 'busy' }, 'w1', LEASE);
  await repeatLastCommit();
  await takeLock(member, { namespace, name }, 'w2', LEASE);
  for (let read = 0; read < 2; read += 1) await ahead.follow(backend);
  clock.pass(7_000);
  await behind.follow(backend);
  const unchanged = await ask(behind, first.position);
  expect(unchanged.locks).toEqual([]);

  clock.pass(7_000);
  await ahead.follow(backend);
  const { locks } = await ask(ahead, unchanged.position);
  expect(locks).toMatchObject([{ name, state: 'held' }]);
});
