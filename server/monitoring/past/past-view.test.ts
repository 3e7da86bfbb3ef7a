import { afterEach, describe, expect, it } from 'vitest';
import { restoredLock } from '../../core/restored-record';
import { acquire, eventKinds, pause, release, takeLock } from '../../engine/testing/engine-rig';
import { firstFates, touching } from '../../engine/testing/faulty-store';
import { acquireMultiLock } from '../../engine/testing/multi-lock-calls';
import { newSeed, seeded } from '../../engine/testing/seeded';
import { decodeRecord, encodeRecord } from '../../storage/codec/record-codec';
import { freshKey, readOne, swapOne, update } from '../../storage/conformance/testing/changes';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { IncidentTable } from '../incidents/incident-table';
import { rowId } from '../projection/projection-row';
import { MonitoringRig } from '../testing/monitoring-rig';
import { ClientsWithLogs } from './testing/clients-with-logs';

const IS_LONG = process.env.TEST_LONG === '1';
const [CLIENTS, LOCKS, FOR_MS, INSTANTS] = IS_LONG ? [16, 6, 40_000, 200] : [12, 6, 1_800, 25];

/** By how much a busy process can misjudge the clock of its backend. */
const CLOCKS_APART_MS = 200;

const SOON = { timeout: 20_000, interval: 20 };

const EVERY_LOCK = {
  attention: false,
  sort: 'name',
  descending: false,
  offset: 0,
  limit: 1_000,
} as const;

describe.each(IS_LONG ? (['sqlite', 'mysql'] as const) : (['sqlite'] as const))(
  'the past over %s',
  (store) => {
    let rig: MonitoringRig;
    afterEach(() => rig.close());

    it('agrees with what clients recorded, at every instant without a change nearby', async () => {
      const seed = newSeed();
      const random = seeded(seed);
      rig = await MonitoringRig.open(store);
      const [watcher, other] = [await rig.watch(), await rig.watch()];
      const locks = Array.from({ length: LOCKS }, freshKey);
      const clients = new ClientsWithLogs([watcher, other], locks, random);
      const startedAt = Date.now();
      await clients.runFor(CLIENTS, FOR_MS);
      const lastedMs = Date.now() - startedAt;
      const ofWaiting = clients.instantsOfWaiting().slice(-INSTANTS / 5);
      const { pastView } = watcher.monitoring;
      const events = (await pastView.range.since()).events ?? 0;
      let compared = 0;
      const seen = { holders: 0, waiters: 0 };
      for (let tries = 0; compared < INSTANTS && tries < 100 * INSTANTS; tries += 1) {
        const anyInstant = startedAt + 200 + Math.floor(random() * (lastedMs - 400));
        const at = ofWaiting.pop() ?? anyInstant;
        const noted = locks.map((_, i) => clients.at(i, at));
        if (at < events || noted.every((each) => each === null)) continue;
        const page = await pastView.locks(at, EVERY_LOCK);
        expect(page.past.isLagging).toBe(false);
        for (const [i, key] of locks.entries()) {
          const expected = noted[i];
          if (!expected) continue;
          const detail = await pastView.lock(at, key);
          const holders = detail.holds.map(({ owner }) => owner).sort();
          const waiters = detail.waiters.map(({ owner }) => owner).sort();
          const where = `seed ${seed}, lock ${i}, ${at - startedAt} ms`;
          expect({ holders, waiters }, where).toEqual(expected);
          seen.holders += holders.length;
          seen.waiters += waiters.length;
          const row = page.rows.find(({ name }) => name === key.name);
          expect(row?.holders ?? 0, where).toBe(holders.length);
          expect(row?.waiters ?? 0, where).toBe(waiters.length);
        }
        compared += 1;
      }
      expect(compared, `seed ${seed}`).toBe(INSTANTS);
      // So that it cannot pass by comparing locks that are not in use.
      expect(seen.holders, `seed ${seed}`).toBeGreaterThan(INSTANTS / 4);
      expect(seen.waiters, `seed ${seed}`).toBeGreaterThan(0);
    });

    it("shows locks as unknown at instants since their backend's last answer", async () => {
      rig = await MonitoringRig.open(store);
      const watcher = await rig.watch();
      const [held, left, lapsed] = [freshKey(), freshKey(), freshKey()];
      await takeLock(watcher, held, 'w1', { leaseMs: 60_000 });
      const { token } = await takeLock(watcher, left, 'w2', { leaseMs: 60_000 });
      const { pastView, projection } = watcher.monitoring;
      const statusOf = ({ name } = held) => projection.row('default', name)?.status;
      await expect.poll(async () => (await pastView.range.since()).events, SOON).not.toBeNull();
      await expect.poll(statusOf, SOON).toBe('held');
      const before = Date.now();
      await pause(500);
      const { expiresAt } = await takeLock(watcher, lapsed, 'w3', { leaseMs: 3_000 });
      await expect.poll(() => statusOf(lapsed), SOON).toBe('held');
      watcher.faults.goAway();
      await expect.poll(statusOf, SOON).toBe('unknown');
      const other = await rig.watch();
      await release(other, left, 'w2', token);
      await expect.poll(() => Date.now(), SOON).toBeGreaterThan(expiresAt + CLOCKS_APART_MS);
      const at = Date.now();
      const page = await pastView.locks(at, EVERY_LOCK);
      // It may have been renewed since.
      expect(page.rows.map(({ name, status }) => [name, status])).toEqual(
        [held, left, lapsed].map(({ name }) => [name, 'unknown']).sort(),
      );
      expect(page).toMatchObject({
        past: { unread: ['default'] },
        backends: [{ reachable: false }],
      });
      expect(await pastView.lock(at, lapsed)).toMatchObject({ row: { status: 'unknown' } });
      const detail = await pastView.lock(at, left);
      expect(detail).toMatchObject({ fresh: false, row: { status: 'unknown' } });
      expect(await pastView.lock(at, freshKey())).toMatchObject({ row: { status: 'unknown' } });
      const earlier = await pastView.locks(before, EVERY_LOCK);
      expect(earlier.rows.map(({ status }) => status)).toEqual(['held', 'held']);
      expect(earlier).toMatchObject({
        past: { isLagging: false },
        backends: [{ reachable: true }],
      });
      watcher.faults.comeBack();
      await expect.poll(statusOf, SOON).toBe('held');
      // From then on the expired lock is shown too, not only those in use.
      const { store: backend, database } = rig.engines.under;
      const incidents = new IncidentTable(database);
      await expect.poll(() => incidents.countOpen(), SOON).toBe(1);
      await expect.poll(() => eventKinds(backend, lapsed), SOON).toContain('expired');
      const again = await pastView.locks(at, EVERY_LOCK);
      expect(again.rows.map(({ name, status }) => [name, status])).toEqual(
        [
          [held.name, 'held'],
          [lapsed.name, 'expired'],
        ].sort(),
      );
    });

    it('shows a lock that was in use then, although its namespace was removed since', async () => {
      rig = await MonitoringRig.open(store);
      const watcher = await rig.watch();
      const key = { ...freshKey(), namespace: 'closed' };
      const { token } = await takeLock(watcher, key, 'w1');
      const { pastView } = watcher.monitoring;
      await expect.poll(async () => (await pastView.range.since()).events, SOON).not.toBeNull();
      const at = Date.now() + CLOCKS_APART_MS;
      await pause(2 * CLOCKS_APART_MS);
      await release(watcher, key, 'w1', token);
      rig.removedNamespaces.add(key.namespace);
      const page = await pastView.locks(at, EVERY_LOCK);
      expect(page.rows.map(({ name, status }) => [name, status])).toEqual([[key.name, 'held']]);
      const detail = await pastView.lock(at, key);
      expect(detail).toMatchObject({ row: { status: 'held', backend: 'default' }, fresh: true });
      expect(detail.holds.map(({ owner }) => owner)).toEqual(['w1']);
    });

    it('shows no waiter past a timeout that was noticed only by a restore', async () => {
      rig = await MonitoringRig.open(store);
      const { under } = rig.engines;
      const key = freshKey();
      const crashed = await rig.engines.join();
      await takeLock(crashed, key, 'w1', { leaseMs: 60_000 });
      const waitMs = 4 * CLOCKS_APART_MS;
      let wait: Promise<unknown> | undefined;
      await new Promise<void>((resolve) => {
        // It crashes as its place in the queue is written.
        const last = async () => {
          crashed.faults.goAway();
          resolve();
        };
        crashed.faults.onSwap = firstFates(touching(key), { kind: 'pass', last });
        wait = acquire(crashed, key, 'w2', { waitMs }).catch(() => null);
      });
      await pause(waitMs + 4 * CLOCKS_APART_MS);
      const { record, now } = await readOne(under.store, key);
      if (!record) throw new Error('The lock has a record.');
      const facts = { epoch: 2, now, grantsFrom: 0, by: 'restore', reason: 'disk lost' };
      const before = decodeRecord(record).record;
      const { next, events } = restoredLock(before, facts);
      const { head, queue } = encodeRecord(next, null);
      const change = update(key, record, { rev: next.rev, head, queue, events });
      expect(await swapOne(under.store, change)).toMatchObject({ applied: true });

      const { pastView } = (await rig.watch()).monitoring;
      await expect.poll(async () => (await pastView.range.since()).events, SOON).not.toBeNull();
      const counts = async (at: number) => {
        const { rows, waiting } = await pastView.locks(at, EVERY_LOCK);
        const { holds, waiters } = await pastView.lock(at, key);
        const [graph, holders] = [await pastView.waits(at), await pastView.holders(at)];
        const list = [rows[0]?.holders, rows[0]?.waiters, waiting];
        return [...list, holds.length, waiters.length, graph.waiting, holders.waiting];
      };
      const queuedAt = before.queue[0]?.enqueuedAt ?? Number.NaN;
      expect(await counts(queuedAt + waitMs / 2)).toEqual([1, 1, 1, 1, 1, 1, 1]);
      expect(await counts(queuedAt + waitMs + 2 * CLOCKS_APART_MS)).toEqual([1, 0, 0, 1, 0, 0, 0]);
      await wait;
    });

    it('shows a multi-lock that moved between queues only in the later one', async () => {
      rig = await MonitoringRig.open(store);
      const watcher = await rig.watch();
      const [first, second] = [freshKey(), freshKey()].sort((a, b) => (a.name < b.name ? -1 : 1));
      if (!first || !second) throw new Error('There are two.');
      const holds = await Promise.all(
        [first, second].map((key) => takeLock(watcher, key, `holder of ${key.name}`)),
      );
      const { projection, pastView } = watcher.monitoring;
      const queues = () =>
        [first, second].map(({ name }) => projection.row('default', name)?.waiters ?? 0);
      const both = acquireMultiLock(watcher, [first, second], 'both', { waitMs: 20_000 });
      await expect.poll(queues, SOON).toEqual([1, 0]);
      await release(watcher, first, `holder of ${first.name}`, holds[0]?.token ?? 0);
      await expect.poll(queues, SOON).toEqual([0, 1]);
      await pause(CLOCKS_APART_MS);
      const at = Date.now();
      await pause(CLOCKS_APART_MS);
      await release(watcher, second, `holder of ${second.name}`, holds[1]?.token ?? 0);
      expect(await both).toMatchObject({ outcome: 'granted' });
      await expect.poll(async () => (await pastView.range.since()).events, SOON).not.toBeNull();
      const page = await pastView.locks(at, EVERY_LOCK);
      expect(page.waiting).toBe(1);
      const waitersOf = async (key: RecordKey) => (await pastView.lock(at, key)).waiters.length;
      expect([await waitersOf(first), await waitersOf(second)]).toEqual([0, 1]);
    });

    it.each([
      ['of a backend in time', 0],
      ['of a backend whose clock is ahead', 60_000],
    ])(
      'shows a lock %s as orphaned from the proof that its incident recorded, on every page',
      async (_, aheadMs) => {
        rig = await MonitoringRig.open(store);
        const { database } = rig.engines.under;
        const watcher = await rig.watch();
        // So that the past begins before.
        await takeLock(watcher, freshKey(), 'w1');
        watcher.faults.clockSetMs = aheadMs;
        const offset = () => watcher.engine.health().clockOffsetMs;
        await expect.poll(offset, SOON).toBeGreaterThan(aheadMs - CLOCKS_APART_MS);
        const key = freshKey();
        const hold = { leaseMs: 60_000, meta: { host: 'host-4', pid: '7' } };
        const { token } = await takeLock(watcher, key, 'gone', hold);
        const since = Date.now() + aheadMs;
        const { pastView } = watcher.monitoring;
        await expect.poll(async () => (await pastView.range.since()).events, SOON).not.toBeNull();
        const proven = Date.now() + 100;
        const provenAt = proven + aheadMs;
        const death = {
          token,
          at: provenAt,
          since,
          witness: 'host-4',
          evidence: 'no such process',
        };
        const { namespace, name } = key;
        const subject = {
          id: rowId('default', recordId(key)),
          backend: 'default',
          namespace,
          name,
        };
        const figures = { waiters: 0, waiterMs: 0, waitersMax: 0, blockingMaxMs: 0, actors: [] };
        const ends = { clearedAt: null, endedAt: null, readAt: provenAt };
        const facts = { stuck: null, hold: null, deaths: [death] };
        const incident = {
          status: 'orphaned',
          beganAt: since,
          ...ends,
          ...figures,
          facts,
        } as const;
        await new IncidentTable(database).write([{ open: { ...subject, incident }, isNew: true }]);
        await expect.poll(() => Date.now(), SOON).toBeGreaterThan(proven + 100);

        const before = await pastView.lock(proven - 50, key);
        expect(before.row.status).toBe('held');
        expect(before.holds[0]?.liveness?.state).toBe('unknown');
        const { row, holds } = await pastView.lock(proven + 50, key);
        const proof = { witness: 'host-4', evidence: 'no such process' };
        expect(row).toMatchObject({ status: 'orphaned', orphaned: { token, since, ...proof } });
        expect(holds[0]?.liveness).toMatchObject({ state: 'dead', since, ...proof });
        const { rows } = await pastView.locks(proven + 50, { ...EVERY_LOCK, status: 'orphaned' });
        expect(rows.map((each) => each.name)).toEqual([name]);
        const holders = await pastView.holders(proven + 50);
        expect(holders.rows[0]?.verdict?.state).toBe('dead');
      },
    );
  },
);
