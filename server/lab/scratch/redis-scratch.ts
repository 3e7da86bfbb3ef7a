import type { Redis } from 'ioredis';
import { Periodic } from '../../platform/periodic';
import { connectRedis } from '../servers/redis-server';
import { hasEnded, processMark, REDIS_PREFIX, redisPrefixOf } from './scratch-names';

/** The set of runs that may have keys on the server. */
const RUNS = `${REDIS_PREFIX}runs`;
/** A run whose mark was not written for this long is dead. */
const SILENT_MS = 30_000;
const MARK_EVERY_MS = 5_000;
const SCAN_COUNT = 1_000;

const markOf = (runId: string) => `${redisPrefixOf(runId)}alive`;

/** The keys of one run on a Redis server. A key that expires marks the run as alive. */
export class RedisScratch {
  private readonly marking = new Periodic({
    job: 'mark a race as alive',
    everyMs: MARK_EVERY_MS,
    run: () => this.mark(),
  });

  private constructor(
    private readonly redis: Redis,
    private readonly runId: string,
  ) {}

  /** Removes the keys of dead runs, and registers this run. */
  static async open(url: string, runId: string): Promise<RedisScratch> {
    const redis = await connectRedis(url);
    const scratch = new RedisScratch(redis, runId.toLowerCase());
    try {
      await scratch.mark();
      await redis.sadd(RUNS, scratch.runId);
      for (const other of await redis.smembers(RUNS)) {
        if (other === scratch.runId) continue;
        const mark = await redis.get(markOf(other));
        if (mark === null || hasEnded(mark)) await scratch.removeRun(other);
      }
      scratch.marking.start();
      return scratch;
    } catch (error) {
      redis.disconnect();
      throw error;
    }
  }

  /** Deletes every key of this run. */
  async remove(): Promise<void> {
    await this.marking.stop();
    try {
      await this.removeRun(this.runId);
    } finally {
      this.redis.disconnect();
    }
  }

  private async mark(): Promise<void> {
    await this.redis.set(markOf(this.runId), processMark(), 'PX', SILENT_MS);
  }

  private async removeRun(runId: string): Promise<void> {
    const { redis } = this;
    const pattern = `${redisPrefixOf(runId)}*`;
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
      if (keys.length > 0) await redis.unlink(keys);
      cursor = next;
    } while (cursor !== '0');
    await redis.srem(RUNS, runId);
  }
}
