import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import type { OutOfBounds } from '../../contract/counter';
import { estimatedValues, type StepsUnderWay } from '../../core/counter/counter-gate';
import type { GateStore } from '../../storage/redis-gate/gate-store';
import { GATE_LIMITS, openRedisGate } from '../../storage/redis-gate/redis-gate';
import { GateClient } from './gate-client';

/** More than a gate can list as changed. */
const COUNTERS = 300;
const SOLD_OUT = { outcome: 'outOfBounds', value: 0, floor: 0, ceiling: null, estimate: true };
const ONE_LESS = { down: 1, up: 0 };
const ONE_MORE = { down: 0, up: 1 };

/** A gate that is ready at once, and whose values do not get old within a test. */
const CALM = { ...GATE_LIMITS, stepMaxMs: 1, freshMs: 60_000, refreshMs: 60_000 };

let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
beforeAll(async () => {
  redis = await startPrivateRedis();
});
afterAll(() => redis?.stop());

/** Counters as MySQL would have them, and processes over them. */
class Shop {
  private readonly clients: GateClient[] = [];
  readonly ids = Array.from({ length: COUNTERS }, (_, i) => `shop#${i}`);
  private readonly truth: Map<string, { rev: number; value: number }>;

  constructor(
    private readonly scope: string,
    initial = 0,
  ) {
    this.truth = new Map(this.ids.map((id) => [id, { rev: 1, value: initial }]));
  }

  join(process: string) {
    const store = openRedisGate(redis.url, { scope: this.scope, process }, CALM);
    const sent = { messages: 0, exchanges: 0 };
    const counted: GateStore = {
      ...store,
      exchange(messages, seen) {
        sent.messages += messages.length;
        sent.exchanges += 1;
        return store.exchange(messages, seen);
      },
    };
    const client = new GateClient(
      counted,
      () => performance.now(),
      (due) => {
        for (const { id, gateRev, asOf } of due) {
          client.tell(id, { ...this.at(id), reading: { floor: 0, ceiling: null, asOf, gateRev } });
        }
      },
      { warn: () => {}, info: () => {} },
      5_000,
    );
    this.clients.push(client);
    return { client, sent };
  }

  at(id: string) {
    return this.truth.get(id) ?? { rev: 0, value: 0 };
  }

  change(id: string, value: number) {
    const next = { rev: this.at(id).rev + 1, value };
    this.truth.set(id, next);
    return next;
  }

  /** Gives one back, as a process does that answers only once the gate has it. */
  async giveBack(client: GateClient, ids: string[]): Promise<void> {
    await Promise.all(
      ids.map(async (id) => {
        await asked(client, id, ONE_MORE, 1);
        client.settle(client.entryOf(id), ONE_MORE, this.change(id, this.at(id).value + 1));
        await client.look(id);
      }),
    );
  }

  close(): void {
    for (const client of this.clients) client.close();
  }
}

const asked = (client: GateClient, id: string, steps: StepsUnderWay, delta: number) =>
  new Promise<OutOfBounds | null>((resolve) =>
    client.ask(client.entryOf(id), steps, delta, resolve),
  );

/** Takes one of each; what is not refused is given up again. */
const takeAll = (client: GateClient, ids: string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const refusal = await asked(client, id, ONE_LESS, -1);
      if (!refusal) client.settle(client.entryOf(id), ONE_LESS, null);
      return refusal;
    }),
  );

const untilAllRefused = (client: GateClient, ids: string[]) =>
  expect
    .poll(async () => (await takeAll(client, ids)).filter((refusal) => !refusal).length)
    .toBe(0);

it('steps on sold-out counters are refused together by one exchange begun after them', async () => {
  const shop = new Shop('many');
  const { client, sent } = shop.join('p1');
  await untilAllRefused(client, shop.ids);
  const { messages, exchanges } = sent;
  for (let i = 0; i < 5; i += 1) {
    const answers = await takeAll(client, shop.ids);
    expect(answers).toEqual(answers.map(() => SOLD_OUT));
  }
  expect(sent.messages).toBe(messages);
  expect(sent.exchanges).toBe(exchanges + 5);
  shop.close();
});

it.each([1, 7, COUNTERS])(
  'what one process gives back to %d counters is available to the next step at another',
  async (count) => {
    const shop = new Shop(`back${count}`);
    const [one, other] = [shop.join('p1').client, shop.join('p2').client];
    await untilAllRefused(one, shop.ids);
    await untilAllRefused(other, shop.ids);
    for (let round = 0; round < 3; round += 1) {
      const given = shop.ids.slice(0, count);
      await shop.giveBack(one, given);
      const answers = await takeAll(other, shop.ids);
      expect(answers).toEqual(shop.ids.map((_, i) => (i < count ? null : SOLD_OUT)));
      for (const id of given)
        other.settle(other.entryOf(id), { down: 0, up: 0 }, shop.change(id, 0));
      await untilAllRefused(other, shop.ids);
      await untilAllRefused(one, shop.ids);
    }
    shop.close();
  },
);

it('far from its bounds a counter needs few messages, and its value follows', async () => {
  const stock = 100_000;
  const shop = new Shop('far', stock);
  const [{ client, sent }, other] = [shop.join('p1'), shop.join('p2').client];
  const id = shop.ids[0] ?? '';
  const fast = async () => {
    await takeAll(client, [id]);
    return (await client.look(id))?.state?.value;
  };
  await expect.poll(fast).toBe(stock);
  const before = sent.messages;
  const sold = 500;
  for (let i = 0; i < sold; i += 1) {
    const entry = client.entryOf(id);
    if (!client.pass(entry, ONE_LESS, -1)) await asked(client, id, ONE_LESS, -1);
    client.settle(entry, ONE_LESS, shop.change(id, stock - i - 1));
    if (i % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    if (i % 100 !== 0) continue;
    const { state, underWay } = (await other.look(id)) ?? {};
    const low = state && underWay ? estimatedValues({ state, underWay }).low : Number.NaN;
    expect(low).toBeLessThanOrEqual(stock - i - 1);
    expect(low).toBeGreaterThanOrEqual(stock - i - 1 - 2 * (stock / 1_000));
  }
  expect(sent.messages - before).toBeLessThan(sold / 5);
  const seen = async () => (await other.look(id))?.state?.value;
  await expect.poll(seen).toBe(stock - sold);
  shop.close();
});
