import { statSync, truncateSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { TcpProxy } from '@/test/tcp-proxy';
import { acquire } from '../../engine/testing/engine-rig';
import { newSeed, seeded } from '../../engine/testing/seeded';
import { freshKey } from '../conformance/testing/changes';
import { logFileOf } from '../conformance/testing/log-file-of';
import { asAdminOf, type RedisProcess, RedisRig } from '../conformance/testing/redis-rig';
import type { RecordKey } from '../record-store';

const TRIALS = process.env.TEST_LONG === '1' ? 24 : 1;
const LEASE_MS = 250;
const LOCKS = 3;
/** The lag of the replica. */
const LAG_MS = 5;
const DURABLE = { durable: true, settings: ['--repl-diskless-sync-delay', '0'] };

type Server = Awaited<ReturnType<typeof startPrivateRedis>>;

interface Grant {
  token: number;
  sentAt: number;
  answeredAt: number;
  /** The token in the answer. */
  leftMs: number;
}

interface Trial {
  rig: RedisRig;
  /** The address of the Redis, as every process knows it. */
  address: TcpProxy;
  replica: Server;
  random: () => number;
}

/** The faults of the server while its locks are acquired. */
const BLOWS: Record<string, (trial: Trial) => Promise<void>> = {
  async 'the replica is started in its place'({ rig, replica, address }) {
    rig.server.signal('SIGKILL');
    replica.signal('SIGKILL');
    await replica.start();
    address.lead(portOf(replica));
  },
  async 'it follows its replica for a while'({ rig, replica }) {
    await asAdminOf(replica.url, (admin) => admin.call('REPLICAOF', 'NO', 'ONE'));
    await rig.asAdmin(async (admin) => {
      await admin.call('REPLICAOF', '127.0.0.1', portOf(replica));
      while (!(await admin.info()).includes('master_link_status:up')) await pause(5);
      await admin.call('REPLICAOF', 'NO', 'ONE');
    });
  },
  async 'it flushes no more, and the power is cut'({ rig, random }) {
    await rig.asAdmin((admin) => admin.config('SET', 'appendfsync', 'everysec'));
    const flushedBytes = statSync(logFileOf(rig.server.folder)).size;
    await pause(random() * 300);
    rig.server.signal('SIGKILL');
    truncateSync(logFileOf(rig.server.folder), flushedBytes);
    await rig.server.start();
  },
  async 'it is killed'({ rig }) {
    await rig.killAndRestart();
  },
};

const portOf = ({ url }: { url: string }) => Number(new URL(url).port);

it(
  'no token of a Redis is granted twice, nor during another lease, whatever replaces the server',
  async () => {
    const names = Object.keys(BLOWS);
    const first = newSeed();
    for (let trial = 0; trial < TRIALS; trial += 1) {
      const seed = first + trial;
      const blow = names[seed % names.length] ?? '';
      console.info(`${blow}: seed ${seed}`);
      for (const grants of await play(seed, blow)) expectSound(grants, `${blow}, seed ${seed}`);
    }
  },
  TRIALS * 120_000,
);

function expectSound(grants: Grant[], when: string): void {
  for (const [i, { token, answeredAt }] of grants.entries()) {
    const before = grants[i - 1];
    if (!before) continue;
    expect(token, when).toBeGreaterThan(before.token);
    expect(answeredAt, when).toBeGreaterThanOrEqual(before.sentAt + before.leftMs);
  }
}

/** The grants of each lock, in their order. */
async function play(seed: number, blow: string): Promise<Grant[][]> {
  const random = seeded(seed);
  const rig = await RedisRig.start(DURABLE);
  const address = await TcpProxy.start('127.0.0.1', portOf(rig.server));
  const line = await TcpProxy.start('127.0.0.1', portOf(rig.server));
  line.delay(LAG_MS);
  let replica: Server | undefined;
  try {
    const url = `redis://127.0.0.1:${address.port}`;
    const processes = [await rig.join(url), await rig.join(url)];
    const keys = Array.from({ length: LOCKS }, () => freshKey());
    const isCopied = !blow.includes('power');
    replica = await startPrivateRedis(DURABLE);
    if (isCopied) await follow(replica, line.port);
    const end = { isNear: false };
    const played = keys.map((key) => takeAgainAndAgain(processes, key, random, end));
    await pause(400 + random() * 900);
    await BLOWS[blow]?.({ rig, address, replica, random });
    const isNoticed = () => processes.some(({ incarnation }) => incarnation.loss !== null);
    if (isCopied) await expect.poll(isNoticed, { timeout: 30_000 }).toBe(true);
    await pause(2_500);
    end.isNear = true;
    return await Promise.all(played);
  } finally {
    await replica?.stop();
    await Promise.all([line.close(), address.close()]);
    await rig.close();
  }
}

async function follow(replica: Server, port: number): Promise<void> {
  await asAdminOf(replica.url, async (admin) => {
    await admin.call('REPLICAOF', '127.0.0.1', port);
    const isDone = async () => {
      const info = await admin.info();
      return ['master_link_status:up', 'aof_rewrite_in_progress:0'].every((it) =>
        info.includes(it),
      );
    };
    while (!(await isDone())) await pause(20);
  });
}

async function takeAgainAndAgain(
  processes: RedisProcess[],
  key: RecordKey,
  random: () => number,
  end: { isNear: boolean },
): Promise<Grant[]> {
  const grants: Grant[] = [];
  for (let owner = 0; !end.isNear; owner += 1) {
    const process = processes[Math.floor(random() * processes.length)] as RedisProcess;
    const sentAt = performance.now();
    const ask = acquire(process, key, `w${owner}`, { leaseMs: LEASE_MS });
    const answer = await ask.catch(() => null);
    if (answer?.outcome === 'granted') {
      const { token, expiresInMs } = answer;
      grants.push({ token, sentAt, answeredAt: performance.now(), leftMs: expiresInMs });
    } else await pause(10 + random() * 20);
  }
  return grants;
}
