import { afterEach, expect, test } from 'vitest';
import { limitFiles } from '@/server/storage/conformance/testing/limit-files';
import { ApiHarness } from '@/test/api-harness';

const SOON = { timeout: 15_000 };

/** Makes the disk appear full to this process only. Linux only. */
const limitOwnFiles = (bytes: number | 'unlimited') =>
  limitFiles({ pid: () => process.pid }, bytes);

afterEach(() => limitOwnFiles('unlimited'));

test('a server is unready while its disk is full, and ready again once there is room', async () => {
  const api = await ApiHarness.start();
  const key = await api.key('orders');
  const take = (name: string) =>
    api.post(key, 'lock.acquire', { name, owner: 'worker', leaseMs: 60_000 });
  const ready = async () => (await api.send('/api/health/ready')).status;
  expect([(await take('before')).status, await ready()]).toEqual([200, 200]);

  limitOwnFiles(1);
  await expect.poll(ready, SOON).toBe(503);
  expect((await take('meanwhile')).status).toBeGreaterThan(500);
  expect((await api.send('/api/health/live')).status).toBe(200);

  limitOwnFiles('unlimited');
  await expect.poll(ready, SOON).toBe(200);
  expect((await take('after')).data?.outcome).toBe('granted');
  await api.close();
});
