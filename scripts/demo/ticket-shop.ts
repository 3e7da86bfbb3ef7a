import { setTimeout as sleep } from 'node:timers/promises';
import { LockyardClient } from '../../client/lockyard-client';
import { withLock } from '../../client/with-lock';
import { type RangeMs, SECOND } from './demo-job';
import { within } from './within';

/** The remaining tickets, counted down to exactly 0. */
export const STOCK = 'tickets:open-air-2026';
/** How many sales were refused since the last delivery. */
export const TURNED_AWAY = 'tickets:turned-away';
/** How many tickets a delivery brings. */
export const TICKETS = 200;

const RESTOCKING = 'tickets:restock:open-air-2026';
const SELLERS = 4;
const MAX_PER_SALE = 5;
const BETWEEN_SALES_MS: RangeMs = [700, 1_900];
const AFTER_A_FAILURE_MS = 5 * SECOND;
const CHECK_EVERY_MS = 3 * SECOND;
const SOLD_OUT_FOR_MS = 20 * SECOND;

/** Settings of the shop: where it sells, as which service, and how long it stays sold out. */
export interface TicketShop {
  url: string;
  apiKey: string;
  soldOutForMs?: number;
  /** A factor for all pauses: less than 1 makes them shorter. */
  pace?: number;
}

/**
 * Opens the ticket shop: sellers, who sell until nothing is left, and an office, which restocks
 * after a pause. Returns the function that closes it.
 */
export function openTicketShop(shop: TicketShop): () => void {
  const closing = new AbortController();
  const { signal } = closing;
  run(shop, signal).catch(() => undefined);
  return () => closing.abort();
}

async function run(
  { url, apiKey, soldOutForMs = SOLD_OUT_FOR_MS, pace = 1 }: TicketShop,
  signal: AbortSignal,
): Promise<void> {
  const namespace = 'shop';
  const client = (owner: string) => new LockyardClient({ url, apiKey, namespace, owner });
  const office = client('tickets-b8e2:box-office');
  await untilDone(() =>
    withLock(RESTOCKING, { client: office }, async () => {
      await office.createCounter({ name: STOCK, initial: TICKETS, floor: 0, ceiling: TICKETS });
      await office.createCounter({ name: TURNED_AWAY, floor: 0 });
    }),
  );
  const again = async (restMs: RangeMs, action: () => Promise<void>) => {
    while (!signal.aborted) {
      await action().catch(() => sleep(AFTER_A_FAILURE_MS, undefined, { signal }));
      await sleep(within(restMs) * pace, undefined, { signal });
    }
  };
  const sellers = Array.from({ length: SELLERS }, (_, i) => client(`tickets-b8e2:seller-${i + 1}`));
  await Promise.all([
    ...sellers.map((seller) => again(BETWEEN_SALES_MS, () => sell(seller))),
    again([CHECK_EVERY_MS, CHECK_EVERY_MS], () => restock(office, soldOutForMs)),
  ]);
}

/** Sells a few tickets, or as many as are left; a sale with none left counts as refused. */
async function sell(client: LockyardClient): Promise<void> {
  const wanted = 1 + Math.floor(Math.random() * MAX_PER_SALE);
  const first = await client.addToCounter({ name: STOCK, delta: -wanted });
  if (first.outcome === 'applied') return;
  const rest = Math.min(first.value, wanted);
  const second = rest > 0 && (await client.addToCounter({ name: STOCK, delta: -rest }));
  if (second && second.outcome === 'applied') return;
  await client.addToCounter({ name: TURNED_AWAY, delta: 1 });
}

/** Refills the stock once it has been empty for a while. */
async function restock(client: LockyardClient, soldOutForMs: number): Promise<void> {
  if ((await client.getCounter({ name: STOCK })).value > 0) return;
  await withLock(RESTOCKING, { client, leaseMs: 10 * SECOND, waitMs: 0 }, async ({ signal }) => {
    await sleep(soldOutForMs, undefined, { signal });
    const { value: refused } = await client.getCounter({ name: TURNED_AWAY });
    await client.addToCounter({ name: TURNED_AWAY, delta: -refused });
    await client.addToCounter({ name: STOCK, delta: TICKETS });
  });
}

/** Retries until it succeeds: the service may be unavailable. */
async function untilDone(action: () => Promise<void>): Promise<void> {
  while (
    !(await action().then(
      () => true,
      () => false,
    ))
  )
    await sleep(AFTER_A_FAILURE_MS);
}
