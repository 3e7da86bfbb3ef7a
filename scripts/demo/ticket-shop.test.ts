import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LockyardClient } from '@/client/lockyard-client';
import { ApiHarness } from '@/test/api-harness';
import { openTicketShop, STOCK, TICKETS, TURNED_AWAY } from './ticket-shop';

let api: ApiHarness;
beforeAll(async () => {
  api = await ApiHarness.start();
  await api.namespace('shop');
});
afterAll(() => api.close());

test('sells out to exactly 0, counts refused sales, and is restocked after a pause', async () => {
  const apiKey = await api.key('tickets', ['shop']);
  const client = new LockyardClient({ url: api.url, apiKey, namespace: 'shop', owner: 'a test' });
  const stop = openTicketShop({ url: api.url, apiKey, pace: 0.02, soldOutForMs: 4_000 });
  const standingOf = async (name: string) => (await client.getCounter({ name })).value;
  const until = async (isSo: () => Promise<boolean>) => {
    const deadline = performance.now() + 60_000;
    let isMet = false;
    while (!isMet && performance.now() < deadline) {
      await sleep(20);
      isMet = await isSo().catch(() => false);
    }
    expect(isMet).toBe(true);
  };
  try {
    for (const _ of ['once', 'and again']) {
      await until(
        async () => (await standingOf(STOCK)) === 0 && (await standingOf(TURNED_AWAY)) > 3,
      );
      await until(async () => (await standingOf(STOCK)) > TICKETS / 2);
    }
  } finally {
    stop();
  }
});
