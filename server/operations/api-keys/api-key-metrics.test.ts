import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '@/db/database';
import { apiKeyMetrics } from './api-key-metrics';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A database that answers the query for the keys with this. */
const answering = (rows: Promise<unknown>) =>
  ({
    tables: { apiKeys: {} },
    db: { select: () => ({ from: () => ({ where: () => rows }) }) },
  }) as unknown as Database;

const valuesOf = async (database: Database) => {
  const families = await apiKeyMetrics(database, 0);
  return Object.fromEntries(families.map(({ name, samples }) => [name, samples]));
};

test('a scrape waits at most a second for a control database that hangs, and says so', async () => {
  let values: unknown = null;
  void valuesOf(answering(new Promise(() => undefined))).then((read) => {
    values = read;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(values).toEqual({ lockyard_api_keys_read: [{ labels: {}, value: 0 }] });
});

test('a scrape says that the keys were read, or that the control database failed', async () => {
  expect(await valuesOf(answering(Promise.resolve([{ expiresAt: 5_000 }])))).toEqual({
    lockyard_api_keys_read: [{ labels: {}, value: 1 }],
    lockyard_api_keys_expiring: [{ labels: {}, value: 1 }],
    lockyard_api_key_next_expiry_timestamp_seconds: [{ labels: {}, value: 5 }],
  });
  const failing = answering(Promise.reject(new Error('gone')));
  expect(await valuesOf(failing)).toEqual({
    lockyard_api_keys_read: [{ labels: {}, value: 0 }],
  });
});
