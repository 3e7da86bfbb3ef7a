import { Redis } from 'ioredis';
import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import type { LockEngine } from '../../../engine/lock-engine';
import { StoreIncarnation } from '../../incarnation/store-incarnation';
import { RedisStore } from '../../redis/redis-store';
import { engineOfIncarnation } from './engine-of-incarnation';

/** The parts of one process that serve locks on this Redis. */
export interface RedisProcess {
  engine: LockEngine;
  store: RedisStore;
  incarnation: StoreIncarnation;
}

/** On a busy machine a Redis may not answer for seconds. */
const PATIENT_MS = 10_000;

type Server = Awaited<ReturnType<typeof startPrivateRedis>>;

/** Runs work over a connection of its own to a server. */
export async function asAdminOf<T>(url: string, work: (admin: Redis) => Promise<T>): Promise<T> {
  const admin = new Redis(url, { protocol: 2 });
  admin.on('error', () => undefined);
  try {
    return await work(admin);
  } finally {
    admin.disconnect();
  }
}

/** A private Redis, a control database, and processes that share both. */
export class RedisRig {
  private readonly processes: RedisProcess[] = [];

  private constructor(
    readonly server: Server,
    readonly database: Database,
  ) {}

  static async start(options: Parameters<typeof startPrivateRedis>[0] = {}): Promise<RedisRig> {
    return new RedisRig(await startPrivateRedis(options), await openTestDatabase('sqlite'));
  }

  async join(url = this.server.url, heartbeatMs?: number): Promise<RedisProcess> {
    const incarnation = await StoreIncarnation.open(this.database, 'default', Date.now());
    const options = { heartbeatMs, callMaxMs: PATIENT_MS };
    const store = new RedisStore(url, incarnation, options);
    const engine = await engineOfIncarnation('redis', store, incarnation);
    const process = { engine, store, incarnation };
    this.processes.push(process);
    return process;
  }

  /** Changes the server without the knowledge of the processes. */
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
