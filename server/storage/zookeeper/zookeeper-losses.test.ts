import { cp, rm } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { startPrivateZookeeper } from '@/scripts/servers/private-zookeeper.mjs';
import type { LossKind } from '../../contract/console/backend-health';
import { anonymousRequest } from '../../engine/request-identity';
import { createCommand, readCounter } from '../../engine/testing/counter-calls';
import { acquire, renew, takeLock } from '../../engine/testing/engine-rig';
import {
  created,
  creation,
  eventOf,
  freshKey,
  readOne,
  swapOne,
} from '../conformance/testing/changes';
import { recordLossAhead } from '../conformance/testing/record-loss-ahead';
import { type ZookeeperProcess, ZookeeperRig } from '../conformance/testing/zookeeper-rig';
import type { RecordKey } from '../record-store';
import { markerData } from './guard/marker';
import { recoverZookeeper } from './guard/recover-zookeeper';
import { LIMITS } from './zookeeper-layout';

const LEASE_MS = 900;
/** Leases are recorded in whole seconds. */
const LONGEST_MS = 1_000;
const EPOCH_SPAN = 2 ** 41;
const SOON = { timeout: 25_000, interval: 20 };

const shared = () => {
  const url = process.env.TEST_ZOOKEEPER_URL;
  if (!url) throw new Error('TEST_ZOOKEEPER_URL must name a ZooKeeper for the tests.');
  return url;
};

/** Acquires as soon as the backend answers. */
const taken = (process: ZookeeperProcess, key: RecordKey, leaseMs = LEASE_MS) =>
  vi.waitFor(() => takeLock(process, key, 'w1', { leaseMs }), SOON);

/**
 * Retries until it is granted; returns a lower bound of ZooKeeper's clock after the grant, and the
 * token.
 */
async function granted(process: ZookeeperProcess, key: RecordKey) {
  return vi.waitFor(async () => {
    const answer = await acquire(process, key, 'w2', { leaseMs: LEASE_MS });
    if (answer.outcome !== 'granted') throw new Error(answer.outcome);
    const { record, now } = await readOne(process.store, key);
    expect(record).not.toBe(null);
    return { at: now, token: answer.token };
  }, SOON);
}

/**
 * Expects what a process must do after a loss, for a lock that was held and for one that was never
 * used.
 */
async function expectLoss(process: ZookeeperProcess, what: LossKind, held: RecordKey, token = 0) {
  const grants = await Promise.all([held, freshKey()].map((key) => granted(process, key)));
  const { loss, epoch, grantsFrom } = process.incarnation;
  expect(loss?.what).toBe(what);
  expect(grantsFrom).toBeGreaterThanOrEqual((loss?.at ?? Number.NaN) + LONGEST_MS);
  for (const grant of grants) {
    expect(grant.at).toBeGreaterThanOrEqual(grantsFrom);
    expect(grant.token).toBeGreaterThan(token);
    expect(Math.floor(grant.token / EPOCH_SPAN)).toBe(epoch);
  }
  expect(process.engine.health().loss).toMatchObject({ what });
}

const onRig = (url: string, work: (rig: ZookeeperRig) => Promise<void>) => async () => {
  const rig = await ZookeeperRig.start(url);
  try {
    await work(rig);
  } finally {
    await rig.close();
  }
};

describe('a ZooKeeper that has lost data', () => {
  it.concurrent('because an older copy was restored grants nothing for one lease', async () => {
    const server = await startPrivateZookeeper();
    const [running, ended] = [
      await ZookeeperRig.start(server.url),
      await ZookeeperRig.start(server.url),
    ];
    try {
      const [one, other] = [await running.join(), await ended.join()];
      const [held, kept] = [freshKey(), freshKey()];
      const { token } = await taken(one, held, 60_000);
      await taken(other, kept);
      const copy = `${server.dataFolder}-copy`;
      server.signal('SIGSTOP');
      await cp(server.dataFolder, copy, { recursive: true });
      server.signal('SIGCONT');
      const beats = () =>
        Promise.all(
          [one, other].map(async ({ incarnation }) => (await incarnation.read()).heartbeat),
        );
      const [then = 0, thenOther = 0] = await beats();
      await vi.waitFor(async () => {
        const [now, nowOther] = await beats();
        expect(now).toBeGreaterThan(then + 1);
        expect(nowOther).toBeGreaterThan(thenOther + 1);
      }, SOON);
      const late = await taken(other, freshKey());
      await other.close();

      server.signal('SIGKILL');
      await vi.waitFor(() => rm(server.dataFolder, { recursive: true }), SOON);
      await cp(copy, server.dataFolder, { recursive: true });
      await server.start();
      const renewal = await vi.waitFor(() => renew(one, held, 'w1', token), SOON);
      expect(renewal).toMatchObject({ outcome: 'lost', cause: 'forced', by: 'lockyard' });
      const again = await ended.join();
      await expectLoss(again, 'older', kept, late.token);
      expect(one.incarnation.loss).toMatchObject({ what: 'older' });
      expect(one.incarnation.grantsFrom).toBeGreaterThanOrEqual(
        (one.incarnation.loss?.at ?? 0) + 60_000,
      );
    } finally {
      await Promise.all([running.close(), ended.close()]);
      await server.stop();
    }
  });

  it.concurrent('because its data folder was emptied starts again without old data', async () => {
    const own = await startPrivateZookeeper();
    const rig = await ZookeeperRig.start(own.url);
    try {
      const one = await rig.join();
      const held = freshKey();
      const { token } = await taken(one, held);
      own.signal('SIGKILL');
      await vi.waitFor(() => rm(own.dataFolder, { recursive: true }), SOON);
      await own.start();
      await expectLoss(one, 'empty', held, token);
      expect(one.incarnation.epoch).toBe(2);
    } finally {
      await rig.close();
      await own.stop();
    }
  });

  it.concurrent(
    'because its root was deleted grants nothing for one longest lease, then higher tokens',
    onRig(shared(), async (rig) => {
      const [one, two] = [await rig.join(), await rig.join()];
      const held = freshKey();
      const { token } = await taken(one, held);
      await rig.deleteTree();
      await expectLoss(two, 'empty', held, token);
      await vi.waitFor(
        () => expect(one.engine.health().loss).toMatchObject({ what: 'empty' }),
        SOON,
      );
      expect(one.incarnation.epoch).toBe(two.incarnation.epoch);
      const renewal = await vi.waitFor(() => renew(one, held, 'w1', token), SOON);
      expect(renewal.outcome).toBe('lost');
    }),
  );

  it.concurrent(
    'because its root was deleted while no process ran reports that to the next one',
    onRig(shared(), async (rig) => {
      const one = await rig.join();
      const held = freshKey();
      const { token } = await taken(one, held);
      await one.close();
      await rig.deleteTree();
      const two = await rig.join();
      expect(two.incarnation.loss).toMatchObject({ what: 'empty' });
      await expectLoss(two, 'empty', held, token);
      expect(two.incarnation.epoch).toBe(2);
    }),
  );

  it.concurrent.each(['/r', '/h'])(
    'because all below its %s was deleted recreates it before it answers from the rest',
    (below) =>
      onRig(shared(), async (rig) => {
        const one = await rig.join();
        const held = freshKey();
        const { token } = await taken(one, held);
        await rig.deleteTree(below);
        await expectLoss(one, 'records', held, token);
      })(),
  );

  it.concurrent(
    'except its records keeps freezes and counters, and answers a holder why it lost its lock',
    onRig(shared(), async (rig) => {
      const one = await rig.join();
      const [held, frozen, counter] = [freshKey(), freshKey(), freshKey()];
      const { token } = await taken(one, held, 60_000);
      const freeze = { verb: 'freeze', by: 'ana', reason: 'repairs' } as const;
      await one.engine.run(frozen, { ...freeze, request: anonymousRequest() });
      await one.engine.count(counter, createCommand(7));
      await rig.deleteTree('/l');
      const renewal = await vi.waitFor(() => renew(one, held, 'w1', token), SOON);
      expect(renewal).toMatchObject({ outcome: 'lost', cause: 'forced', by: 'lockyard' });
      const inspected = () => one.engine.run(frozen, { verb: 'inspect' });
      expect((await vi.waitFor(inspected, SOON)).state).toBe('frozen');
      const counted = await vi.waitFor(() => readCounter(one, counter), SOON);
      expect(counted).toMatchObject({ value: 7 });
    }),
  );

  it.concurrent(
    'does not include one that lost only the znode of its clock, which is recreated',
    onRig(shared(), async (rig) => {
      const one = await rig.join();
      const held = freshKey();
      const { token } = await taken(one, held, 30_000);
      await rig.deleteTree('/t');
      const renewal = await vi.waitFor(() => renew(one, held, 'w1', token), SOON);
      expect(renewal.outcome).toBe('renewed');
      expect([one.incarnation.epoch, one.incarnation.loss]).toEqual([1, null]);
    }),
  );

  it.concurrent(
    'while its clock was ahead pauses again once that clock is set back',
    onRig(shared(), async (rig) => {
      const one = await rig.join();
      await taken(one, freshKey());
      await rig.deleteTree('/l/l/l');
      await granted(one, freshKey());
      await recordLossAhead(rig.database);
      await one.incarnation.read();
      await vi.waitFor(() => expect(one.incarnation.loss?.what).toBe('clock'), SOON);
      await expectLoss(one, 'clock', freshKey());
    }),
  );

  it.concurrent(
    'and belongs to another control database ends its holds, and grants again after their leases',
    onRig(shared(), async (rig) => {
      const one = await rig.join();
      const held = freshKey();
      const { token, expiresAt } = await taken(one, held, 3_000);
      await one.close();
      const other = await rig.joinFromElsewhere();
      expect(other.incarnation.loss).toMatchObject({ what: 'stranger' });
      const again = await granted(other, held);
      expect(again.at).toBeGreaterThanOrEqual(expiresAt - 1_000);
      expect(again.token).toBeGreaterThan(token);
    }),
  );

  it.concurrent(
    'applies no change of the next epoch before its recovery, once that epoch is known',
    onRig(shared(), async (rig) => {
      await (await rig.join()).close();
      const [one, other] = [await rig.incarnation(), await rig.incarnation()];
      const read = one.read.bind(one);
      vi.spyOn(one, 'read').mockImplementationOnce(async () => {
        const row = await read();
        const loss = {
          what: 'records',
          now: Date.now(),
          epochAbove: 0,
          incarnation: null,
        } as const;
        await other.begin(await other.read(), loss);
        await read();
        return row;
      });
      const { store } = await rig.joinAs(one);
      const result = await swapOne(store, creation(freshKey(), { epoch: 2 })).catch(() => null);
      const { runId } = await other.read();
      expect([result?.applied, runId]).not.toEqual([true, null]);
    }),
  );

  it.concurrent(
    'is not set back to an earlier incarnation by a process that was late',
    onRig(shared(), async (rig) => {
      const [one, late] = [await rig.join(), await rig.incarnation()];
      await taken(one, freshKey());
      const inRecovery = { ...(await late.read()), runId: null };
      await rig.deleteTree('/l');
      const key = freshKey();
      const { token } = await vi.waitFor(() => takeLock(one, key, 'w2', { leaseMs: 60_000 }), SOON);
      const connection = await rig.connect();
      const first = { incarnation: 'first', epoch: 1, data: markerData(0, 1) };
      await expect(recoverZookeeper(connection, LIMITS, late, first)).rejects.toThrow(
        'no longer has its earlier data',
      );
      vi.spyOn(late, 'read').mockResolvedValueOnce(inRecovery);
      await rig.joinAs(late);
      const renewal = await vi.waitFor(() => renew(one, key, 'w2', token), SOON);
      expect(renewal.outcome).toBe('renewed');
      expect([one.incarnation.epoch, late.epoch]).toEqual([2, 2]);
    }),
  );

  it.concurrent(
    'refuses a change decided before, and assigns no number of its history twice',
    onRig(shared(), async (rig) => {
      const one = await rig.join();
      const { store, incarnation } = one;
      await taken(one, freshKey());
      await rig.deleteTree('/l');
      await vi.waitFor(() => expect(incarnation.epoch).toBe(2), SOON);
      const key = freshKey();
      // Each try has a key of its own: one without an answer may have been applied.
      await vi.waitFor(() => created(store, freshKey(), { events: [eventOf(1)] }), SOON);
      const before = await store.historyEnd();
      const decided = creation(key, { epoch: 2 });
      await rig.deleteTree();
      await vi.waitFor(() => expect(incarnation.epoch).toBe(3), SOON);
      const result = await vi.waitFor(() => swapOne(store, decided), SOON);
      expect(result).toMatchObject({ applied: false, current: null });
      const recreated = creation(key, { epoch: 3, events: [eventOf(1)] });
      expect((await swapOne(store, recreated)).applied).toBe(true);
      const after = await store.historyAfter(before, 10);
      expect(after.map(({ changes }) => changes.map((change) => change.key.name))).toEqual([
        [key.name],
      ]);
    }),
  );
});
