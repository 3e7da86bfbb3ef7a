import { Redis } from 'ioredis';
import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import type { LockEngine } from '../../../engine/lock-engine';
import { StoreIncarnation } from '../../incarnation/store-incarnation';
import { RedisStore } from '../../redis/redis-store';
import { engineOfIncarnation } from './engine-of-incarnation';

/** One process as far as locks on this Redis go. */
export interface RedisProcess {
  engine: LockEngine;
  store: RedisStore;
  incarnation: StoreIncarnation;
}

/** A machine that is busy with other things may keep a Redis from answering for seconds. */
const PATIENT_MS = 10_000;

type Server = Awaited<ReturnType<typeof startPrivateRedis>>;

/** Does something to a server, and leaves. */
export async function asAdminOf<T>(url: string, work: (admin: Redis) => Promise<T>): Promise<T> {
  const admin = new Redis(url, { protocol: 2 });
  admin.on('error', () => undefined);
  try {
    return await work(admin);
  } finally {
    admin.disconnect();
  }
}

/** A Redis of a test's own, a control database, and processes that share both. */
export class RedisRig {
  private readonly processes: RedisProcess[] = [];

  private constructor(
    readonly server: Server,
    readonly database: Database,
  ) {}

  static async start(options: Parameters<typeof startPrivateRedis>[0] = {}): Promise<RedisRig> {
    return new RedisRig(await startPrivateRedis(options), await openTestDatabase('sqlite'));
  }

  async join(url = this.server.url, beatEveryMs?: number): Promise<RedisProcess> {
    const incarnation = await StoreIncarnation.open(this.database, 'default', Date.now());
    const manner = { heartbeatMs: beatEveryMs, callMaxMs: PATIENT_MS };
    const store = new RedisStore(url, incarnation, manner);
    const engine = await engineOfIncarnation('redis', store, incarnation);
    const process = { engine, store, incarnation };
    this.processes.push(process);
    return process;
  }

  /** Does something to the server behind everybody's back. */
  asAdmin<T>(work: (admin: Redis) => Promise<T>): Promise<T> {
    return asAdminOf(this.server.url, work);
  }

  async killAndRestart(): Promise<void> {
    this.server.signal('SIGKILL');
    await this.server.start();
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map(({ engine }) => engine.close()));
    await this.server.stop();
    await this.database.close();
  }
}
