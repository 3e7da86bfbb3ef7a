import { eq } from 'drizzle-orm';
import { describe, expect, it, vi } from 'vitest';
import type { LossKind } from '../../contract/console/backend-health';
import { LOCK_DELAY_MAX_MS } from '../../contract/namespace-policy';
import { anonymousRequest } from '../../engine/request-identity';
import { createCommand, readCounter } from '../../engine/testing/counter-calls';
import { acquire, eventKinds, renew, takeLock } from '../../engine/testing/engine-rig';
import { decodeRecord, encodeRecord } from '../codec/record-codec';
import {
  created,
  creation,
  eventOf,
  freshKey,
  readOne,
  stored,
  swapOne,
  update,
} from '../conformance/testing/changes';
import { recordLossAhead } from '../conformance/testing/record-loss-ahead';
import { type RedisProcess, RedisRig } from '../conformance/testing/redis-rig';
import { recordId } from '../record-id';
import type { RecordKey } from '../record-store';
import { START_INCARNATION } from './redis-script';

const LEASE_MS = 900;
/** Leases are recorded in whole seconds. */
const LONGEST_MS = 1_000;
const EPOCH_SPAN = 2 ** 41;
const SOON = { timeout: 25_000, interval: 20 };

interface Loss {
  how: string;
  what: LossKind;
  options?: Parameters<typeof RedisRig.start>[0];
  /** Called while the lock is held; returns a function that causes the loss. */
  befall(rig: RedisRig, key: RecordKey): Promise<unknown>;
}

const LOSSES: Loss[] = [
  {
    how: 'killed without having kept anything',
    what: 'empty',
    befall: (rig) => rig.killAndRestart(),
  },
  {
    how: 'killed while it flushes once a second',
    what: 'restarted',
    options: { durable: true, settings: ['--appendfsync', 'everysec'] },
    befall: (rig) => rig.killAndRestart(),
  },
  {
    how: 'flushed by another client',
    what: 'empty',
    befall: (rig) => rig.asAdmin((admin) => admin.flushall()),
  },
  {
    how: 'set back to an older copy',
    what: 'older',
    async befall(rig) {
      await rig.asAdmin((admin) => admin.save());
      const saved = await rig.asAdmin((admin) => admin.hget('{lockyard}:life', 'beat'));
      const { db, tables } = rig.database;
      // As the processes see it, which is recorded a moment after the heartbeat itself.
      await vi.waitFor(async () => {
        const [known] = await db.select({ beat: tables.backends.beat }).from(tables.backends);
        expect(known?.beat).toBeGreaterThan(Number(saved));
      }, SOON);
      await rig.killAndRestart();
    },
  },
  {
    how: 'robbed of one record',
    what: 'records',
    befall: (rig, key) => rig.asAdmin((admin) => admin.del(`{lockyard}:r:${recordId(key)}`)),
  },
  {
    how: 'robbed of one record and of its place in the list',
    what: 'records',
    befall: (rig, key) =>
      rig.asAdmin(async (admin) => {
        await admin.del(`{lockyard}:r:${recordId(key)}`);
        await admin.zrem('{lockyard}:ids', recordId(key));
      }),
  },
  {
    how: 'robbed of the list of its records',
    what: 'records',
    befall: (rig) => rig.asAdmin((admin) => admin.del('{lockyard}:ids')),
  },
  {
    how: 'robbed of its mark',
    what: 'empty',
    befall: (rig) => rig.asAdmin((admin) => admin.del('{lockyard}:life')),
  },
  {
    how: 'given the mark of another life',
    what: 'stranger',
    befall: (rig) => rig.asAdmin((admin) => admin.hset('{lockyard}:life', 'life', 'another')),
  },
];

/** Delays a lock until then. */
async function delay({ store }: RedisProcess, key: RecordKey, delayedUntil: number) {
  const found = await stored(store, key);
  const { head, queue } = encodeRecord({ ...decodeRecord(found).record, delayedUntil }, null);
  const { applied } = await swapOne(store, update(key, found, { head, queue }));
  expect(applied).toBe(true);
}

/** Acquires as soon as the backend answers. */
const taken = (process: RedisProcess, key: RecordKey, leaseMs = LEASE_MS) =>
  vi.waitFor(() => takeLock(process, key, 'w1', { leaseMs }), SOON);

describe('a Redis that has lost data', () => {
  it.concurrent.each(LOSSES)(
    'because it was $how grants nothing for one longest lease, and then with higher tokens',
    async ({ what, options, befall }) => {
      const rig = await RedisRig.start(options);
      try {
        const [one, two] = [await rig.join(), await rig.join()];
        const [held, fresh] = [freshKey(), freshKey()];
        const before = await taken(one, held);
        await befall(rig, held);

        const grants = [held, fresh].map(async (key) => {
          const answers: { outcome: string; at: number; token: number }[] = [];
          await vi.waitFor(async () => {
            const answer = await acquire(two, key, 'w2', { leaseMs: LEASE_MS });
            const at = (await readOne(two.store, freshKey())).now;
            const token = answer.outcome === 'granted' ? answer.token : 0;
            answers.push({ outcome: answer.outcome, at, token });
            expect(answer.outcome).toBe('granted');
          }, SOON);
          return answers.at(-1);
        });
        const [again, other] = await Promise.all(grants);

        const loss = two.incarnation.loss;
        expect(loss?.what).toBe(what);
        expect(loss?.grantsFrom).toBeGreaterThanOrEqual((loss?.at ?? 0) + LONGEST_MS);
        expect(again?.at).toBeGreaterThanOrEqual(loss?.grantsFrom ?? Number.NaN);
        expect(other?.at).toBeGreaterThanOrEqual(loss?.grantsFrom ?? Number.NaN);
        expect(again?.token).toBeGreaterThan(before.token);
        expect(Math.floor((again?.token ?? 0) / EPOCH_SPAN)).toBe(2);
        expect(two.engine.health().loss).toMatchObject({ what });

        await vi.waitFor(() => expect(one.engine.health().loss).toMatchObject({ what }), SOON);
        // A process knows of a loss before it has seen that the recovery ended.
        const epochs = () => [one.incarnation.epoch, two.incarnation.epoch];
        await vi.waitFor(() => expect(epochs()).toEqual([2, 2]), SOON);
        const renewal = await vi.waitFor(() => renew(one, held, 'w1', before.token), SOON);
        expect(renewal.outcome).toBe('lost');
      } finally {
        await rig.close();
      }
    },
  );

  it.concurrent('keeps its other freezes and counters, and says why a hold was lost', async () => {
    const rig = await RedisRig.start();
    try {
      const one = await rig.join();
      const [held, frozen, counter] = [freshKey(), freshKey(), freshKey()];
      const { token } = await taken(one, held, 10_000);
      const freeze = { verb: 'freeze', by: 'ana', reason: 'repairs' } as const;
      await one.engine.run(frozen, { ...freeze, request: anonymousRequest() });
      await one.engine.count(counter, createCommand(7));
      await rig.asAdmin((admin) => admin.del('{lockyard}:life'));
      const renewal = await vi.waitFor(() => renew(one, held, 'w1', token), SOON);
      expect(renewal).toMatchObject({ outcome: 'lost', cause: 'forced', by: 'lockyard' });
      // A heartbeat that was under way may be answered only now that the data is gone.
      const inspect = () => one.engine.run(frozen, { verb: 'inspect' });
      expect((await vi.waitFor(inspect, SOON)).state).toBe('frozen');
      const read = () => readCounter(one, counter);
      expect(await vi.waitFor(read, SOON)).toMatchObject({ value: 7 });
      expect(await eventKinds(one.store, held)).toEqual(['granted', 'forced']);
    } finally {
      await rig.close();
    }
  });

  it.concurrent('refuses a change decided before, even if it expects no record', async () => {
    const rig = await RedisRig.start();
    try {
      const { store } = await rig.join();
      const key = freshKey();
      const decided = creation(key, { epoch: 1 });
      await rig.asAdmin((admin) => admin.flushall());
      const result = await vi.waitFor(() => swapOne(store, decided), SOON);
      expect(result).toMatchObject({ applied: false, current: null });
      expect((await readOne(store, key)).record).toBe(null);
      expect((await swapOne(store, creation(key, { epoch: 2 }))).applied).toBe(true);
    } finally {
      await rig.close();
    }
  });

  it.concurrent('while its clock was ahead pauses again once that clock is set back', async () => {
    const rig = await RedisRig.start();
    try {
      const one = await rig.join();
      const [held, fresh] = [freshKey(), freshKey()];
      await taken(one, held, 4_000);
      await rig.asAdmin((admin) => admin.del('{lockyard}:life'));
      await vi.waitFor(() => expect(one.incarnation.loss?.what).toBe('empty'), SOON);
      await vi.waitFor(() => stored(one.store, held), SOON);
      const grantsFrom = await recordLossAhead(rig.database);
      await delay(one, held, grantsFrom);
      await one.incarnation.read();
      await vi.waitFor(() => expect(one.incarnation.loss?.what).toBe('clock'), SOON);
      const pauseMs = (one.incarnation.loss?.grantsFrom ?? 0) - Date.now();
      expect(pauseMs).toBeGreaterThan(1_000);
      const attempt = () => acquire(one, fresh, 'w2', { leaseMs: LEASE_MS });
      expect(await vi.waitFor(attempt, SOON)).toMatchObject({ outcome: 'held', holders: [] });
      await taken(one, fresh);
      // Of a delay in its record it is not known whether that was a lock-delay.
      const { delayedUntil = 0 } = await one.engine.run(held, { verb: 'inspect' });
      expect(delayedUntil - Date.now()).toBeLessThanOrEqual(LOCK_DELAY_MAX_MS);
    } finally {
      await rig.close();
    }
  });

  it.concurrent('grants no lock during its pause that was read before the loss', async () => {
    const rig = await RedisRig.start();
    let letStart = () => {};
    const mayStart = new Promise<void>((resolve) => {
      letStart = resolve;
    });
    try {
      const [one, two] = [await rig.join(), await rig.join()];
      const key = freshKey();
      for (const { incarnation } of [one, two]) {
        const start = incarnation.startQuietPeriod.bind(incarnation);
        vi.spyOn(incarnation, 'startQuietPeriod').mockImplementation((...args) =>
          mayStart.then(() => start(...args)),
        );
      }
      const read = two.store.read.bind(two.store);
      const reads = vi.spyOn(two.store, 'read').mockImplementation(async (keys, requestKeys) => {
        const found = await read(keys, requestKeys);
        if (!keys.some(({ name }) => name === key.name)) return found;
        reads.mockRestore();
        await takeLock(one, key, 'w1', { leaseMs: 30_000 });
        await rig.asAdmin((admin) => admin.flushall());
        await vi.waitFor(() => expect(two.incarnation.loss).not.toBe(null), SOON);
        setTimeout(letStart, 200);
        return found;
      });
      const answer = await acquire(two, key, 'w2', { leaseMs: LEASE_MS });
      expect(answer).toMatchObject({ outcome: 'held', holders: [] });
      expect(two.incarnation.epoch).toBe(2);
    } finally {
      letStart();
      await rig.close();
    }
  });

  it.concurrent('is served again if the recovering process died before recording it', async () => {
    const rig = await RedisRig.start();
    try {
      const key = freshKey();
      await taken(await rig.join(), key);
      const { backends } = rig.database.tables;
      await rig.database.db.update(backends).set({ runId: null }).where(eq(backends.epoch, 1));
      const later = await rig.join();
      const answer = await vi.waitFor(() => renew(later, key, 'w1', 1), SOON);
      expect(answer.outcome).toBe('lost');
      expect([later.incarnation.epoch, later.incarnation.loss]).toEqual([1, null]);
    } finally {
      await rig.close();
    }
  });

  it.concurrent.each([
    ['is a text that seems to have a queue', ['SET', 'quite another text'], Number.NaN],
    ['is no text', ['SADD', 'a member'], undefined],
  ] as const)('is served again if one of its records %s', async (_, [command, value], rev) => {
    const rig = await RedisRig.start();
    try {
      const { store, incarnation } = await rig.join();
      const [bad, good] = [freshKey(), freshKey()];
      await vi.waitFor(() => created(store, bad), SOON);
      await created(store, good);
      const place = `{lockyard}:r:${recordId(bad)}`;
      await rig.asAdmin((admin) => admin.multi().del(place).call(command, place, value).exec());
      await expect(store.read([bad], [])).rejects.toMatchObject({ applied: 'no' });
      const { records } = await vi.waitFor(() => store.read([bad, good], []), SOON);
      expect(records.map(({ record }) => record?.rev)).toEqual([rev, expect.any(Number)]);
      expect(incarnation.epoch).toBe(2);
    } finally {
      await rig.close();
    }
  });

  it.concurrent('is not set back to an earlier incarnation by a late command', async () => {
    const rig = await RedisRig.start();
    try {
      const one = await rig.join();
      const key = freshKey();
      await taken(one, key);
      await rig.asAdmin((admin) => admin.flushall());
      const { token } = await vi.waitFor(() => takeLock(one, key, 'w2', { leaseMs: 10_000 }), SOON);
      const late = rig.asAdmin((admin) => START_INCARNATION.run(admin, ['first~', 'first', 1, 0]));
      await expect(late).rejects.toThrow('LOCKYARD');
      expect((await renew(one, key, 'w2', token)).outcome).toBe('renewed');
      expect(one.incarnation.epoch).toBe(2);
    } finally {
      await rig.close();
    }
  });

  it.concurrent('never assigns a number of its history twice', async () => {
    const rig = await RedisRig.start();
    try {
      const { store } = await rig.join();
      await vi.waitFor(() => created(store, freshKey(), { events: [eventOf(1)] }), SOON);
      const before = await store.historyEnd();
      await rig.asAdmin((admin) => admin.flushall());
      await vi.waitFor(() => created(store, freshKey(), { events: [eventOf(1)] }), SOON);
      const after = await store.historyEnd();
      expect(after).toBeGreaterThan(before);
      expect((await store.historyAfter(before, 10)).map(({ id }) => id)).toEqual([after]);
    } finally {
      await rig.close();
    }
  });
});

describe('a Redis that has lost nothing', () => {
  it.concurrent('because it flushes all writes is served with all holds after a kill', async () => {
    const rig = await RedisRig.start({ durable: true });
    try {
      const one = await rig.join();
      const key = freshKey();
      const { token } = await taken(one, key, 60_000);
      await rig.killAndRestart();
      const upAt = performance.now();
      const renewal = await vi.waitFor(() => renew(one, key, 'w1', token), SOON);
      expect(renewal.outcome).toBe('renewed');
      expect(performance.now() - upAt).toBeLessThan(8_000);
      expect([one.incarnation.epoch, one.incarnation.loss]).toEqual([1, null]);
    } finally {
      await rig.close();
    }
  });

  it.concurrent('except its scripts works as before', async () => {
    const rig = await RedisRig.start();
    try {
      const one = await rig.join();
      const key = freshKey();
      const { token } = await taken(one, key, 10_000);
      await rig.asAdmin((admin) => admin.script('FLUSH'));
      const renewal = await vi.waitFor(() => renew(one, key, 'w1', token), SOON);
      expect(renewal.outcome).toBe('renewed');
      expect(one.incarnation.epoch).toBe(1);
    } finally {
      await rig.close();
    }
  });

  it.concurrent('is not mistaken for one that has by a process that starts later', async () => {
    const rig = await RedisRig.start();
    try {
      const one = await rig.join();
      const key = freshKey();
      const { token } = await taken(one, key, 10_000);
      const two = await rig.join();
      const renewal = await vi.waitFor(() => renew(two, key, 'w1', token), SOON);
      expect(renewal.outcome).toBe('renewed');
      expect([two.incarnation.epoch, two.incarnation.loss]).toEqual([1, null]);
    } finally {
      await rig.close();
    }
  });
});
