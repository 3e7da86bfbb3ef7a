import { rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { createLog } from '../../platform/log';
import {
  created,
  creation,
  eventOf,
  freshKey,
  readOne,
  stored,
  update,
} from '../conformance/testing/changes';
import { RedisRig } from '../conformance/testing/redis-rig';

const SOON = { timeout: 25_000, interval: 20 };

/** Expects a refusal with nothing applied. On a busy machine Redis may be reached only on retry. */
const isRefused = (work: () => Promise<unknown>, words: string) =>
  vi.waitFor(
    () =>
      expect(work()).rejects.toMatchObject({
        name: 'StoreError',
        applied: 'no',
        message: expect.stringContaining(words),
      }),
    SOON,
  );

describe('a Redis where no lock may be stored is refused with a clear reason', () => {
  it.concurrent('because it evicts keys, until it no longer does', async () => {
    const rig = await RedisRig.start({
      settings: ['--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru'],
    });
    try {
      const { store } = await rig.join();
      await isRefused(() => created(store, freshKey()), 'noeviction');
      const { unsafe, level } = await store.guarantees();
      expect([unsafe, level]).toEqual([expect.stringContaining('noeviction'), 'Best-effort']);
      await rig.asAdmin((admin) => admin.config('SET', 'maxmemory-policy', 'noeviction'));
      await vi.waitFor(() => created(store, freshKey()), SOON);
      expect((await store.guarantees()).unsafe).toBe(null);
    } finally {
      await rig.close();
    }
  });

  it.concurrent('because it has been evicting keys and has lost data', async () => {
    const rig = await RedisRig.start();
    try {
      const { store, incarnation } = await rig.join(undefined, 20);
      await vi.waitFor(() => created(store, freshKey()), SOON);
      const { settingsRev } = store;
      await rig.asAdmin((admin) => admin.config('SET', 'maxmemory-policy', 'allkeys-lru'));
      await vi.waitFor(() => expect(store.settingsRev).toBe(settingsRev + 1), SOON);
      await created(store, freshKey());
      await rig.asAdmin((admin) => admin.del('{lockyard}:life'));
      await isRefused(() => created(store, freshKey()), 'noeviction');
      expect(incarnation.epoch).toBe(1);
    } finally {
      await rig.close();
    }
  });

  it.concurrent('because the password is wrong, and the password is never shown', async () => {
    const rig = await RedisRig.start({
      settings: ['--user', 'locker', 'on', '>right', '~*', '+@all'],
    });
    try {
      const wrong = 'hunter2-is-not-it';
      const { store } = await rig.join(rig.server.url.replace('//', `//locker:${wrong}@`));
      await isRefused(() => created(store, freshKey()), 'WRONGPASS');
      await expect(store.guarantees()).rejects.toMatchObject({
        refusal: expect.stringContaining('refuses the user or the password'),
      });
      const lines: string[] = [];
      const log = createLog({ write: (line) => void lines.push(line) });
      await store.guarantees().catch((err: unknown) => log.warn({ err }, 'refused'));
      expect(lines.join()).toContain('WRONGPASS');
      expect(lines.join()).not.toContain(wrong);
    } finally {
      await rig.close();
    }
  });

  it.concurrent('because it has no database of that number, and no other one is used', async () => {
    const rig = await RedisRig.start();
    try {
      const url = new URL(rig.server.url);
      url.pathname = '/9999';
      const { store } = await rig.join(url.href);
      await isRefused(() => created(store, freshKey()), 'no database of the number');
      await expect(store.guarantees()).rejects.toThrow('no database of the number');
      await rig.asAdmin(async (admin) => expect(await admin.dbsize()).toBe(0));
    } finally {
      await rig.close();
    }
  });

  it.concurrent.each([
    ['has as many clients as it accepts', 'ERR max number of clients reached', '(maxclients)'],
    ['is in protected mode', 'DENIED Redis is running in protected mode', 'protected mode'],
  ])('because it %s', async (_, reply, words) => {
    const refusing = createServer((socket) => socket.end(`-${reply}\r\n`));
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const { port } = refusing.address() as AddressInfo;
    const rig = await RedisRig.start();
    try {
      const { store } = await rig.join(`redis://127.0.0.1:${port}`);
      const refusal = expect.stringContaining(words);
      await expect(readOne(store, freshKey())).rejects.toMatchObject({ refusal });
    } finally {
      await rig.close();
      refusing.close();
    }
  });

  it.concurrent('because it is a Sentinel', async () => {
    const rig = await RedisRig.start({ sentinel: true });
    try {
      const { store } = await rig.join();
      await isRefused(() => created(store, freshKey()), 'Sentinel');
      await expect(store.guarantees()).rejects.toThrow('Sentinel');
    } finally {
      await rig.close();
    }
  });

  it.concurrent('because it is a replica', async () => {
    const rig = await RedisRig.start();
    const replica = await startPrivateRedis({
      settings: ['--replicaof', '127.0.0.1', new URL(rig.server.url).port],
    });
    try {
      const { store } = await rig.join(replica.url);
      await isRefused(() => created(store, freshKey()), 'replica');
      const { store: primary } = await rig.join();
      await vi.waitFor(() => created(primary, freshKey()), SOON);
      const { level, reasons } = await primary.guarantees();
      expect([level, reasons[0]]).toEqual(['Best-effort', expect.stringContaining('replica')]);
    } finally {
      await replica.stop();
      await rig.close();
    }
  });

  it.concurrent('because its slot of the cluster is elsewhere', async () => {
    const rig = await RedisRig.start({ cluster: true });
    try {
      const { store } = await rig.join();
      await vi.waitFor(() => created(store, freshKey()), SOON);
      await rig.asAdmin((admin) => admin.call('CLUSTER', 'FLUSHSLOTS').catch(() => undefined));
      await rig.asAdmin((admin) =>
        admin.call('CLUSTER', 'DELSLOTSRANGE', 0, 16383).catch(() => undefined),
      );
      await isRefused(() => created(store, freshKey()), 'CLUSTERDOWN');
    } finally {
      await rig.close();
    }
  });
});

describe('a Redis that is full', () => {
  it.concurrent('refuses swaps completely: nothing of one is applied', async () => {
    const rig = await RedisRig.start();
    try {
      const { store } = await rig.join();
      const [standing, fresh] = [freshKey(), freshKey()];
      const seen = await vi.waitFor(() => created(store, standing, { head: 'before' }), SOON);
      const end = await store.historyEnd();
      await rig.asAdmin((admin) => admin.config('SET', 'maxmemory', '1mb'));
      const changes = [
        update(standing, seen, { head: 'after', events: [eventOf(2)] }),
        creation(fresh, { events: [eventOf(1)] }),
      ];
      await isRefused(() => store.swap(changes), 'is full');
      await isRefused(() => store.swapAll(changes), 'OOM');
      expect((await stored(store, standing)).head).toBe('before');
      expect((await readOne(store, fresh)).record).toBe(null);
      expect(await store.historyAfter(end, 10)).toEqual([]);
      await rig.asAdmin((admin) => admin.config('SET', 'maxmemory', '0'));
      expect((await store.swap(changes)).map(({ applied }) => applied)).toEqual([true, true]);
    } finally {
      await rig.close();
    }
  });

  it.concurrent('allows deleting records, which makes room', async () => {
    const rig = await RedisRig.start();
    try {
      const { store } = await rig.join();
      const key = freshKey();
      const seen = await vi.waitFor(() => created(store, key), SOON);
      await rig.asAdmin((admin) => admin.config('SET', 'maxmemory', '1mb'));
      await isRefused(() => created(store, freshKey()), 'is full');
      expect(await store.deleteRecords([{ key, ...seen }])).toEqual([true]);
      expect((await readOne(store, key)).record).toBe(null);
    } finally {
      await rig.close();
    }
  });
});

describe('a Redis whose disk is full', () => {
  it.concurrent('gives that reason with every refusal', async () => {
    const rig = await RedisRig.start();
    try {
      const { store } = await rig.join();
      await vi.waitFor(() => created(store, freshKey()), SOON);
      await rig.asAdmin((admin) => admin.config('SET', 'save', '3600 1'));
      // For Redis a missing folder is the same as a disk that accepts no file.
      rmSync(rig.server.folder, { recursive: true });
      await rig.asAdmin(async (admin) => {
        await admin.call('BGSAVE');
        const hasFailed = async () => expect(await admin.info()).toContain('bgsave_status:err');
        await vi.waitFor(hasFailed, SOON);
      });
      await isRefused(() => created(store, freshKey()), 'cannot write to its disk');
    } finally {
      await rig.close();
    }
  });
});

describe('what a Redis promises', () => {
  it.concurrent('is Strong if every write is flushed and no replica can take over', async () => {
    const rig = await RedisRig.start({ durable: true });
    try {
      const { store } = await rig.join();
      const { level, settings } = await store.guarantees();
      expect(level).toBe('Strong');
      expect(settings.filter(({ complaint }) => complaint !== null)).toEqual([]);
    } finally {
      await rig.close();
    }
  });

  it.concurrent('is Timed if a crash may lose writes, and names the setting for that', async () => {
    const rig = await RedisRig.start();
    try {
      const { store } = await rig.join();
      const { level, settings, unsafe } = await store.guarantees();
      expect([level, unsafe]).toEqual(['Timed', null]);
      const blamed = settings.filter(({ complaint }) => complaint !== null);
      expect(blamed.map(({ name }) => name)).toEqual(['appendonly']);
    } finally {
      await rig.close();
    }
  });
});
