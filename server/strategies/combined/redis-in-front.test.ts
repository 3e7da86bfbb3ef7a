import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { interpose } from '../testing/interpose';
import { openScratchRedis, type ScratchRedis } from '../testing/scratch-redis';
import { openScratchStock, type ScratchStock } from '../testing/scratch-stock';
import { RedisInFront, type RedisInFrontOptions } from './redis-in-front';

const STOCK = 60;
/** Long enough for a busy machine. */
const REDIS_MS = 10_000;

let stock: ScratchStock;
let scratch: ScratchRedis;
beforeEach(async () => {
  scratch = openScratchRedis();
  stock = await openScratchStock('mysql', STOCK);
});
afterEach(async () => {
  await stock?.close();
  await scratch?.close();
});

const inFront = (options: RedisInFrontOptions = {}, redis = scratch.redis) =>
  new RedisInFront(stock.database, redis, stock.row, {
    prefix: scratch.prefix,
    redisMs: REDIS_MS,
    ...options,
  });

const sells = (gate: RedisInFront) => async () =>
  (await gate.sell({ record: stock.record })).outcome === 'sold';

const wipe = async () => {
  const keys = await scratch.redis.keys(`${scratch.prefix}*`);
  if (keys.length > 0) await scratch.redis.del(keys);
};

describe('20: sells all of the stock and no more', () => {
  test('with an estimate that is never more than what is left', async () => {
    const gate = inFront();
    expect(await gate.reconcile()).toBe(STOCK);
    const drifts: { fast: number | null; durable: number }[] = [];
    const watch = async () => {
      for (let durable = STOCK; durable > 0; ) {
        // In this order: the stock only falls, so the earlier reading is the larger.
        durable = await stock.left();
        const { fast } = await gate.drift();
        drifts.push({ fast, durable });
      }
    };
    await Promise.all([watch(), stock.sellOut(10, sells(gate))]);
    expect([await stock.sold(), await stock.left()]).toEqual([STOCK, 0]);
    for (const { fast, durable } of drifts) expect(fast).toBeLessThanOrEqual(durable);
    expect(await gate.drift()).toEqual({ fast: 0, durable: 0 });
  });

  test('even if Redis is wiped meanwhile, after which the estimate recovers', async () => {
    const gate = inFront();
    let sales = 0;
    await stock.sellOut(10, async () => {
      sales += 1;
      if (sales % 15 === 0) await wipe();
      return sells(gate)();
    });
    expect([await stock.sold(), await stock.left()]).toEqual([STOCK, 0]);
    await gate.reconcile();
    expect(await gate.drift()).toEqual({ fast: 0, durable: 0 });
  });

  test('even if Redis does not respond', async () => {
    const silent = interpose(scratch.redis, { evalsha: () => new Promise(() => {}) });
    await stock.sellOut(10, sells(inFront({ redisMs: 5 }, silent)));
    expect([await stock.sold(), await stock.left()]).toEqual([STOCK, 0]);
  });

  test('even if Redis has a value that is too high', async () => {
    const gate = inFront();
    await gate.reconcile();
    const [estimate = ''] = await scratch.redis.keys(`${scratch.prefix}*`);
    await scratch.redis.hset(estimate, 'left', 10 * STOCK);
    await stock.sellOut(10, sells(gate));
    expect([await stock.sold(), await stock.left()]).toEqual([STOCK, 0]);
    expect((await gate.drift()).fast).toBe(0);
  });
});

test('20: a refusal by Redis is marked as an estimate, and does not ask MySQL', async () => {
  const gate = inFront();
  await gate.reconcile();
  await stock.sellOut(1, sells(gate));
  const asked = vi.spyOn(stock.database, 'transaction');
  expect(await gate.sell()).toEqual({ outcome: 'refused', estimate: true });
  expect(asked).not.toHaveBeenCalled();
  await wipe();
  expect(await gate.sell()).toEqual({ outcome: 'refused', estimate: false });
});

test('20: drift is shown, and reconciled once the step that caused it must be over', async () => {
  const gate = inFront({ stepMs: 50 });
  await gate.reconcile();
  const record = () => Promise.reject(new Error('The caller dies.'));
  await expect(gate.sell({ record, quantity: 7 })).rejects.toThrow('The caller dies.');
  expect(await gate.drift()).toEqual({ fast: STOCK - 7, durable: STOCK });
  await expect.poll(() => gate.reconcile()).toBe(STOCK);
  expect(await gate.drift()).toEqual({ fast: STOCK, durable: STOCK });
});

test('20: a reconciliation during a sale excludes that sale from the estimate', async () => {
  const gate = inFront();
  await gate.reconcile();
  const answer = await gate.sell({
    record: stock.record,
    think: async () => {
      expect(await gate.reconcile()).toBe(STOCK - 1);
    },
  });
  expect(answer).toEqual({ outcome: 'sold' });
  expect(await gate.drift()).toEqual({ fast: STOCK - 1, durable: STOCK - 1 });
});

test('20: a sale that a reconciliation counts twice is corrected when it is settled', async () => {
  const gate = inFront();
  await gate.reconcile();
  const { transaction } = stock.database;
  vi.spyOn(stock.database, 'transaction').mockImplementationOnce(async (work) => {
    const result = await transaction(work);
    // MySQL has already sold it, and Redis does not know whether the reading includes that.
    expect(await gate.reconcile()).toBe(STOCK - 2);
    return result;
  });
  await gate.sell({ record: stock.record });
  expect(await gate.drift()).toEqual({ fast: STOCK - 1, durable: STOCK - 1 });
});

test('20: a sale under way when Redis is wiped is subtracted when it is settled', async () => {
  const gate = inFront();
  await gate.reconcile();
  const think = async () => {
    await wipe();
    expect(await gate.reconcile()).toBe(STOCK);
  };
  await gate.sell({ record: stock.record, think });
  expect(await gate.drift()).toEqual({ fast: STOCK - 1, durable: STOCK - 1 });
});
