import { statSync, truncateSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { describe, expect, it, vi } from 'vitest';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { TcpProxy } from '@/test/tcp-proxy';
import type { LossKind } from '../../contract/console/backend-health';
import { renew, takeLock } from '../../engine/testing/engine-rig';
import { freshKey } from '../conformance/testing/changes';
import { logFileOf } from '../conformance/testing/log-file-of';
import { asAdminOf, type RedisProcess, RedisRig } from '../conformance/testing/redis-rig';
import type { RecordKey } from '../record-store';

const LEASE_MS = 900;
const EPOCH_SPAN = 2 ** 41;
const SOON = { timeout: 25_000, interval: 20 };
/** A replica gets its copy immediately. */
const DURABLE = { durable: true, settings: ['--repl-diskless-sync-delay', '0'] };
/** No heartbeat is written during the test: losses must be noticed by the writes themselves. */
const NEVER_MS = 600_000;

const taken = (process: RedisProcess, key: RecordKey, owner: string, leaseMs = LEASE_MS) =>
  vi.waitFor(() => takeLock(process, key, owner, { leaseMs }), SOON);

const epochOf = ({ token }: { token: number }) => Math.floor(token / EPOCH_SPAN);

/** A power cut: everything written since the file had this length was never flushed and is lost. */
async function cutPower(rig: RedisRig, bytes: number): Promise<void> {
  rig.server.signal('SIGKILL');
  truncateSync(logFileOf(rig.server.folder), bytes);
  await rig.server.start();
}

/** A replica, through `line`, with all data that the server at the port has so far. */
async function copyOf(line: TcpProxy): Promise<Awaited<ReturnType<typeof startPrivateRedis>>> {
  const replica = await startPrivateRedis(DURABLE);
  await asAdminOf(replica.url, async (admin) => {
    await admin.call('REPLICAOF', '127.0.0.1', line.port);
    await vi.waitFor(() => expectSynchronised(admin), SOON);
  });
  return replica;
}

/** Resolves when a replica has all data, in its files too. */
async function expectSynchronised(replica: Redis): Promise<void> {
  const info = await replica.info();
  expect(info).toContain('master_link_status:up');
  expect(info).toContain('aof_rewrite_in_progress:0');
}

const portOf = ({ url }: { url: string }) => Number(new URL(url).port);

/** One caller holds the lock until it is lost, and then another one requests it. */
async function expectLoss(rig: RedisRig, key: RecordKey, what: LossKind, url?: string) {
  const later = await rig.join(url);
  const again = await taken(later, key, 'w2');
  expect(later.incarnation.loss?.what).toBe(what);
  expect(epochOf(again)).toBe(2);
}

describe('a Redis that is set up to be Strong', () => {
  it.concurrent('and replaced by a replica that lacks the last writes has lost data', async () => {
    const rig = await RedisRig.start(DURABLE);
    const address = await TcpProxy.start('127.0.0.1', portOf(rig.server));
    const line = await TcpProxy.start('127.0.0.1', portOf(rig.server));
    const url = `redis://127.0.0.1:${address.port}`;
    const key = freshKey();
    let replica: Awaited<ReturnType<typeof copyOf>> | undefined;
    try {
      const one = await rig.join(url, NEVER_MS);
      await taken(one, freshKey(), 'w1');
      replica = await copyOf(line);
      line.silence();
      await taken(one, key, 'w1');
      rig.server.signal('SIGKILL');
      replica.signal('SIGKILL');
      await replica.start();
      address.lead(portOf(replica));
      await expectLoss(rig, key, 'restarted', url);
    } finally {
      await replica?.stop();
      await Promise.all([line.close(), address.close()]);
      await rig.close();
    }
  });

  it.concurrent.each<[string, boolean, LossKind]>([
    ['all within one beat', false, 'replaced'],
    ['and restarts before a process looks', true, 'restarted'],
  ])(
    'and that takes over the memory of a replica that lacks the last writes, %s, has lost its own',
    async (_, restarts, what) => {
      const rig = await RedisRig.start(DURABLE);
      const line = await TcpProxy.start('127.0.0.1', portOf(rig.server));
      const key = freshKey();
      let replica: Awaited<ReturnType<typeof copyOf>> | undefined;
      try {
        const one = await rig.join(undefined, NEVER_MS);
        await taken(one, freshKey(), 'w1');
        replica = await copyOf(line);
        line.silence();
        const held = await taken(one, key, 'w1');
        await asAdminOf(replica.url, (admin) => admin.call('REPLICAOF', 'NO', 'ONE'));
        const port = portOf(replica);
        await rig.asAdmin(async (admin) => {
          await admin.call('REPLICAOF', '127.0.0.1', port);
          await vi.waitFor(() => expectSynchronised(admin), SOON);
          await admin.call('REPLICAOF', 'NO', 'ONE');
        });
        if (restarts) await rig.killAndRestart();
        const renewal = await vi.waitFor(() => renew(one, key, 'w1', held.token), SOON);
        expect(renewal.outcome).toBe('lost');
        expect(one.incarnation.loss?.what).toBe(what);
      } finally {
        await replica?.stop();
        await line.close();
        await rig.close();
      }
    },
  );

  it.concurrent.each<[string, (admin: Redis) => Promise<unknown>, boolean]>([
    ['flush once a second', (admin) => admin.config('SET', 'appendfsync', 'everysec'), true],
    ['keep no log', (admin) => admin.config('SET', 'appendonly', 'no'), false],
    [
      'leave out flushes while it rewrites its files',
      (admin) => admin.config('SET', 'no-appendfsync-on-rewrite', 'yes'),
      true,
    ],
    [
      'flush once a second for a moment',
      async (admin) => {
        await admin.config('SET', 'appendfsync', 'everysec');
        const beats = async () => Number(await admin.hget('{lockyard}:life', 'beat'));
        const then = await beats();
        await vi.waitFor(async () => expect(await beats()).toBeGreaterThan(then + 1), SOON);
        await admin.config('SET', 'appendfsync', 'always');
      },
      true,
    ],
  ])(
    'and is set to %s while it is used has lost data after the next power cut',
    async (how, set, isCut) => {
      const rig = await RedisRig.start(DURABLE);
      try {
        const isMoment = how.includes('moment');
        const one = await rig.join(undefined, isMoment ? 50 : NEVER_MS);
        await taken(one, freshKey(), 'w1');
        await rig.asAdmin(set);
        const flushedBytes = isCut ? statSync(logFileOf(rig.server.folder)).size : 0;
        const key = freshKey();
        await taken(one, key, 'w1');
        const { level, reasons } = await one.store.guarantees();
        expect(level).toBe('Timed');
        if (isMoment) expect(reasons[0]).toContain('next restart');
        if (isCut && !isMoment) await cutPower(rig, flushedBytes);
        else await rig.killAndRestart();
        await expectLoss(rig, key, 'restarted');
        const after = await (await rig.join()).store.guarantees();
        expect(after.level).toBe('Strong');
      } finally {
        await rig.close();
      }
    },
  );

  it.concurrent('has settings that can be read while the control database is silent', async () => {
    const rig = await RedisRig.start(DURABLE);
    try {
      const { store, incarnation } = await rig.join();
      await store.guarantees();
      const reading = vi.spyOn(incarnation, 'read');
      reading.mockReturnValue(new Promise(() => undefined));
      const { level } = await store.guarantees().finally(() => reading.mockRestore());
      expect(level).toBe('Strong');
    } finally {
      await rig.close();
    }
  });

  it.concurrent('and was copied by replication has lost data after the next restart', async () => {
    const rig = await RedisRig.start(DURABLE);
    const line = await TcpProxy.start('127.0.0.1', portOf(rig.server));
    let replica: Awaited<ReturnType<typeof copyOf>> | undefined;
    try {
      const one = await rig.join(undefined, NEVER_MS);
      const key = freshKey();
      await taken(one, key, 'w1');
      replica = await copyOf(line);
      await replica.stop();
      const { token } = await taken(one, freshKey(), 'w1');
      expect(epochOf({ token })).toBe(1);
      expect((await one.store.guarantees()).reasons[0]).toContain('next restart');
      await rig.killAndRestart();
      await expectLoss(rig, key, 'restarted');
    } finally {
      await replica?.stop();
      await line.close();
      await rig.close();
    }
  });

  it.concurrent('and briefly evicts keys has lost data: a request may be forgotten', async () => {
    const rig = await RedisRig.start(DURABLE);
    try {
      const one = await rig.join(undefined, 50);
      const key = freshKey();
      await taken(one, key, 'w1');
      await rig.asAdmin(async (admin) => {
        await admin.config('SET', 'maxmemory-policy', 'volatile-ttl');
        await admin.set('elsewhere', 'x'.repeat(100), 'EX', 600);
        await admin.config('SET', 'maxmemory', '1');
        await admin.set('more', 'x').catch(() => undefined);
        await admin.config('SET', 'maxmemory', '0');
        expect(await admin.info('stats')).not.toContain('evicted_keys:0');
        await admin.config('SET', 'maxmemory-policy', 'noeviction');
      });
      await vi.waitFor(() => expect(one.incarnation.loss?.what).toBe('evicted'), SOON);
    } finally {
      await rig.close();
    }
  });

  it.concurrent('is trusted if an earlier version recorded only the id of its run', async () => {
    const rig = await RedisRig.start(DURABLE);
    try {
      const key = freshKey();
      const { token } = await taken(await rig.join(), key, 'w1', 60_000);
      const { backends } = rig.database.tables;
      const unknown = { replicationId: null, isDurable: null, evictedKeys: null };
      await rig.database.db.update(backends).set(unknown);
      const later = await rig.join();
      const renewal = await vi.waitFor(() => renew(later, key, 'w1', token), SOON);
      expect(renewal.outcome).toBe('renewed');
      expect([later.incarnation.epoch, later.incarnation.isDurable]).toEqual([1, true]);
    } finally {
      await rig.close();
    }
  });
});
