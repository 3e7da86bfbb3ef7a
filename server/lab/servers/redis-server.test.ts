import { expect, it } from 'vitest';
import { connectRedis } from './redis-server';

it('uses no other database of a Redis that lacks the one in its URL', async () => {
  const url = new URL(process.env.TEST_REDIS_URL ?? '');
  url.pathname = '/9999';
  await expect(connectRedis(url.href)).rejects.toThrow('DB index is out of range');
});
