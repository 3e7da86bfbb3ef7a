import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect, it, vi } from 'vitest';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { readRedisFacts } from './redis-facts';

const RECORDS = 100;
/** Loading takes longer than the test, which ends it by setting the delay to 0. */
const SLOWLY = ['--key-load-delay', '200000', '--loading-process-events-interval-bytes', '1024'];
const SOON = { timeout: 25_000 };

it('a Redis that is loading its files is not rated', async () => {
  const server = await startPrivateRedis({ durable: true, settings: SLOWLY });
  const admin = new Redis(server.url, { protocol: 2, enableReadyCheck: false });
  admin.on('error', () => undefined);
  try {
    // While it loads, Redis handles commands only after each KiB of its file: these texts hardly
    // compress, so that there are many.
    const text = () => randomBytes(300).toString('base64');
    for (let i = 0; i < RECORDS; i += 1) await admin.set(`record-${i}`, text());
    expect(await readRedisFacts(admin)).toMatchObject({ appendOnly: true });
    // The configured delay applies only to loading a snapshot.
    await admin.call('BGREWRITEAOF');
    await vi.waitFor(async () => {
      expect(await admin.info('persistence')).toMatch(
        /aof_rewrite_in_progress:0[\s\S]*aof_last_rewrite_time_sec:\d/,
      );
    }, SOON);
    server.signal('SIGKILL');
    const back = server.start();
    await vi.waitFor(async () => expect(await admin.info()).toContain('loading:1'), SOON);
    await expect(readRedisFacts(admin)).rejects.toMatchObject({ applied: 'no' });
    await admin.config('SET', 'key-load-delay', '0');
    await back;
    expect(await readRedisFacts(admin)).toMatchObject({ appendOnly: true });
  } finally {
    admin.disconnect();
    await server.stop();
  }
});
