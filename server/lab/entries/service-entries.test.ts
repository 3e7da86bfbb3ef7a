import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EntryServers } from '../race/entry-servers';
import type { EntryParts } from '../race/race-entry';
import { Stock } from '../race/stock';
import { serviceEntries } from './service-entries';

test('an order that fails under the lock of the service releases it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ly-lab-'));
  const servers = new EntryServers({ runId: 'r', servers: {}, folder, connections: 1 });
  const stock = new Stock(servers.sql(), 'e0_');
  await stock.create(1);
  const patience = { waitMs: 0, pollEveryMs: 1, leaseMs: 60_000 };
  const parts: EntryParts = { servers, stock, prefix: 'e0_', note: () => undefined, ...patience };
  const contender = await serviceEntries['service-lock']?.open(parts);
  const failure = new Error('the order failed');
  await expect(contender?.confirm(() => Promise.reject(failure))).rejects.toBe(failure);
  expect(await contender?.confirm(async () => undefined)).toBe('sold');
  await contender?.close?.();
  await servers.close();
  await rm(folder, { recursive: true });
});
