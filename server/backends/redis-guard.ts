import type { Redis } from 'ioredis';
import type { LossKind } from '../domain/backend-loss';
import type { BackendLife, LifeRow } from './backend-life';
import { memoryLoss } from './memory-loss';
import { recallLife } from './recall-life';
import { StoreError } from './record-store';
import type { Admitted } from './redis-calls';
import type { ConnectionGuard } from './redis-connection';
import { isFlushed, type RedisFacts, readRedisFacts, refusalOf } from './redis-facts';
import { mendRedis } from './redis-mend';
import { LOOK } from './redis-script';
import { listOf } from './redis-text';

const recall = <T>(work: () => Promise<T>) => recallLife('Redis', work);

/** How often another process may be found to have been faster before a connection is given up. */
const TRIES = 5;

/** What a Redis holds of its own memory. */
interface Seen {
  life: string | null;
  beat: number;
  epoch: number;
  /** How many records it should have, and how many it lists. */
  count: number;
  listed: number;
  now: number;
}

/**
 * Lets no connection be used before Redis has shown that it still knows everything that it was told: the same life as in
 * the control database, a beat that is not behind, and no restart that may have forgotten something.
 *
 * Where it has lost its memory, one process raises the epoch, and all of them bring what is left into a new life: see
 * `mendRedis`. Until that is done nobody reads or writes.
 */
export class RedisGuard implements ConnectionGuard<Admitted> {
  /** What a script has refused to work on, which a look from outside would not see. */
  private suspicion: { life: string; what: LossKind } | null = null;

  constructor(private readonly life: BackendLife) {}

  /** @throws StoreError with why no lock may be kept there */
  async admit(redis: Redis): Promise<Admitted> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const row = await recall(() => this.life.read());
      const facts = await readRedisFacts(redis);
      const refusal = refusalOf(facts);
      if (refusal) throw new StoreError(refusal, 'no');
      const admitted = await this.judge(redis, row, facts);
      if (admitted) return admitted;
    }
    throw new StoreError('Redis changes its memory too often.', 'no');
  }

  /** Takes note of what a script said of a memory; `admit` draws the conclusion. */
  suspect({ life }: Admitted, refusal: string): void {
    if (refusal.endsWith('records')) this.suspicion = { life, what: 'records' };
    if (refusal.endsWith('beat')) this.suspicion = { life, what: 'older' };
  }

  /** Null: another process was faster, so all must be looked at again. */
  private async judge(redis: Redis, row: LifeRow, facts: RedisFacts): Promise<Admitted | null> {
    const seen = await this.look(redis);
    const { life, epoch, runId } = row;
    const isBeingMended = life !== null && runId === null && seen.epoch <= epoch;
    if (isBeingMended) return this.mend(redis, row, facts);
    const what = this.lossIn(row, seen, facts);
    if (life !== null && what === null) {
      const isKnown = runId === facts.runId;
      const isOurs = isKnown || (await recall(() => this.life.found(life, facts.runId, runId)));
      return isOurs ? { life, epoch, beat: seen.beat } : null;
    }
    const { now, epoch: epochAbove } = seen;
    const loss = what && { what, now, epochAbove, life: seen.life };
    const begun = await recall(() => this.life.begin(row, loss));
    return begun.runId === null ? this.mend(redis, begun, facts) : null;
  }

  private lossIn(row: LifeRow, seen: Seen, facts: RedisFacts): LossKind | null {
    const loss = memoryLoss(row, { ...seen, hasRecords: seen.listed > 0 });
    if (loss !== null || row.life === null) return loss;
    if (seen.count !== seen.listed) return 'records';
    if (this.suspicion?.life === row.life) return this.suspicion.what;
    const isSame = facts.runId === row.runId || (isFlushed(facts) && !facts.wasPromoted);
    return isSame ? null : 'restarted';
  }

  private async look(redis: Redis): Promise<Seen> {
    const [now, life, beat, epoch, count, listed] = listOf(await LOOK.run(redis, []), 6);
    return {
      life: life == null ? null : String(life),
      beat: Number(beat ?? -1),
      epoch: Number(epoch ?? 0),
      count: Number(count ?? -1),
      listed: Number(listed),
      now: Number(now),
    };
  }

  private async mend(redis: Redis, row: LifeRow, { runId }: RedisFacts): Promise<Admitted | null> {
    const { life, epoch } = row;
    if (life === null) return null;
    const quiet = (now: number) => recall(() => this.life.keepQuiet(life, now));
    await mendRedis(redis, { life, epoch }, quiet);
    const isOurs = await recall(() => this.life.found(life, runId, null));
    return isOurs ? { life, epoch, beat: 0 } : null;
  }
}
