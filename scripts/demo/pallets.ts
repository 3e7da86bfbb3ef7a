import { setTimeout as sleep } from 'node:timers/promises';
import { LockyardClient } from '../../client/lockyard-client';
import { type RangeMs, SECOND } from './demo-job';
import { within } from './within';

/** The number of pallets in the loading bay, near its maximum. */
export const PALLETS = 'shipping:bay-4:pallets';
export const PALLETS_MAX = 120;

const START = 109;
const BAND: RangeMs = [107, 117];
const PAUSE_MS: RangeMs = [5 * SECOND, 12 * SECOND];

/** Moves pallets in and out of the loading bay for ever. */
export async function movePallets(url: string, apiKey: string): Promise<never> {
  const owner = 'shipping-9b1e:forklift-2';
  const client = new LockyardClient({ url, apiKey, namespace: 'shop', owner });
  let value: number | null = null;
  for (;;) {
    await sleep(within(PAUSE_MS));
    const known: number = value ?? START;
    const isUp = known <= BAND[0] || (known < BAND[1] && Math.random() < 0.5);
    const delta = isUp ? 1 : -1;
    value = await move(client, delta).catch(() => null);
  }
}

/** Returns the new value. */
async function move(client: LockyardClient, delta: number): Promise<number> {
  await client.createCounter({ name: PALLETS, initial: START, floor: 0, ceiling: PALLETS_MAX });
  return (await client.addToCounter({ name: PALLETS, delta })).value;
}
