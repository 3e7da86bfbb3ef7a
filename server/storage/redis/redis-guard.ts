import type { Redis } from 'ioredis';
import type { LossKind } from '../../contract/console/backend-health';
import {
  askControlDatabase,
  dataLoss,
  type IncarnationRow,
  isClockSetBack,
  type ServerRun,
} from '../incarnation/incarnation-row';
import type { StoreIncarnation } from '../incarnation/store-incarnation';
import { StoreError } from '../record-store';
import { recoverRedis } from './recover-redis';
import type { Admitted } from './redis-calls';
import { requireList } from './redis-codec';
import type { ConnectionGuard } from './redis-connection';
import {
  isFlushed,
  type RedisFacts,
  readRedisFacts,
  refusalOf,
  serverRunOf,
  servesNothing,
} from './redis-facts';
import { missingRight } from './redis-refusal';
import { INSPECT } from './redis-script';

const ask = <T>(work: () => Promise<T>) => askControlDatabase('Redis', work);

/** How often another process may win the race before a connection is given up. */
const TRIES = 5;

/** What a Redis knows of its own incarnation. */
interface Found {
  incarnation: string | null;
  heartbeat: number;
  epoch: number;
  /** How many records it should have, and how many it lists. */
  count: number;
  listed: number;
  now: number;
}

/**
 * Admits a connection only after Redis has shown that it has lost nothing: the same incarnation as
 * in the control database, a heartbeat that is not behind, and no restart that may have lost
 * writes. A restart may have, unless the run before it was durable from start to end: see
 * `ServerRun`.
 *
 * After a data loss, one process raises the epoch, and all processes bring what is left into a new
 * incarnation: see `recoverRedis`. Until that is done, no process reads or writes. A Redis that is
 * not configured safely is used for as long as its data is complete, so that holds continue; no
 * incarnation begins on it.
 */
export class RedisGuard implements ConnectionGuard<Admitted> {
  /** The loss for which a script refused to run; an inspection from outside would not see it. */
  private suspicion: { incarnation: string; what: LossKind } | null = null;
  /** The server's run that this process used last, and the write history it continued then. */
  private used: ServerRun | null = null;

  constructor(private readonly incarnation: StoreIncarnation) {}

  /** @throws StoreError with the reason why no lock may be stored there */
  async admit(redis: Redis): Promise<Admitted> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const row = await ask(() => this.incarnation.read());
      const facts = await readRedisFacts(redis);
      const refusal = refusalOf(facts);
      if (refusal && servesNothing(facts)) throw new StoreError(refusal, 'no', { refusal });
      const admitted = await this.check(redis, row, facts, refusal);
      if (!admitted) continue;
      this.used = admitted;
      return admitted;
    }
    throw new StoreError('Redis keeps losing data.', 'no');
  }

  /** Notes a script's refusal; the next `admit` decides what follows from it. */
  noteRefusal({ incarnation }: Admitted, refusal: string): void {
    if (refusal.endsWith('records')) this.suspicion = { incarnation, what: 'records' };
    if (refusal.endsWith('beat')) this.suspicion = { incarnation, what: 'older' };
  }

  /** Null: another process was faster, so everything must be checked again. */
  private async check(
    redis: Redis,
    row: IncarnationRow,
    facts: RedisFacts,
    refusal: string | null,
  ): Promise<Admitted | null> {
    const seen = await this.inspect(redis);
    const { incarnation, epoch, runId } = row;
    const isInRecovery = incarnation !== null && runId === null && seen.epoch <= epoch;
    const isBack = refusal === null && isClockSetBack(row, seen.now);
    const what = isInRecovery ? null : (this.lossIn(row, seen, facts) ?? (isBack ? 'clock' : null));
    if (incarnation !== null && !isInRecovery && what === null) {
      return this.admitWhole({ ...row, incarnation }, seen, facts);
    }
    if (refusal) throw new StoreError(refusal, 'no', { refusal });
    if (isInRecovery) return this.recover(redis, row, facts);
    const { now, epoch: epochAbove } = seen;
    const loss = what && { what, now, epochAbove, incarnation: seen.incarnation };
    const begun = await ask(() => this.incarnation.begin(row, loss));
    return begun.runId === null ? this.recover(redis, begun, facts) : null;
  }

  private async admitWhole(
    row: IncarnationRow & { incarnation: string },
    { heartbeat }: Found,
    facts: RedisFacts,
  ): Promise<Admitted | null> {
    const { incarnation, epoch, runId } = row;
    const run = serverRunOf(facts);
    const { isCluster } = facts;
    if (runId !== run.runId) {
      const isOurs = await ask(() => this.incarnation.recordRun(incarnation, run, runId));
      return isOurs ? { ...run, isCluster, incarnation, epoch, heartbeat } : null;
    }
    if (row.replicationId === null) {
      await ask(() => this.incarnation.describeRun(incarnation, run));
      return null;
    }
    if (row.replicationId !== run.replicationId) {
      const copied = { ...run, isDurable: false, evictedKeys: row.evictedKeys ?? 0 };
      await ask(() => this.incarnation.recordRun(incarnation, copied, runId));
      return null;
    }
    if (row.isDurable && !run.isDurable)
      await ask(() => this.incarnation.markRunNotDurable(incarnation, runId));
    const isDurable = row.isDurable === true && run.isDurable;
    const evictedKeys = row.evictedKeys ?? run.evictedKeys;
    return { ...run, isDurable, isCluster, evictedKeys, incarnation, epoch, heartbeat };
  }

  private lossIn(row: IncarnationRow, seen: Found, facts: RedisFacts): LossKind | null {
    const loss = dataLoss(row, { ...seen, hasRecords: seen.listed > 0 });
    if (loss !== null || row.incarnation === null) return loss;
    if (seen.count !== seen.listed) return 'records';
    if (this.suspicion?.incarnation === row.incarnation) return this.suspicion.what;
    return facts.runId === row.runId ? this.lossInRun(row, facts) : lossBefore(row, facts);
  }

  /**
   * What the run that was found complete has lost since. A server begins another write history when
   * it is first copied, long after its last replica has left, and when it takes over from another
   * server. Only in the last case does it keep the id of the previous history, for an hour, so a
   * process that used the previous one can tell.
   */
  private lossInRun(row: IncarnationRow, facts: RedisFacts): LossKind | null {
    const { replicationId, evictedKeys } = row;
    const isSame = replicationId === null || facts.replicationId === replicationId;
    const { used } = this;
    const wasThere = used?.runId === facts.runId && used.replicationId === replicationId;
    if (!isSame && (facts.wasPromoted || !wasThere)) return 'replaced';
    return evictedKeys !== null && facts.evictedKeys > evictedKeys ? 'evicted' : null;
  }

  private async inspect(redis: Redis): Promise<Found> {
    const [now, incarnation, heartbeat, epoch, count, listed, missing] = requireList(
      await INSPECT.run(redis, []),
      6,
    );
    if (missing != null) throw missingRight(String(missing));
    return {
      incarnation: incarnation == null ? null : String(incarnation),
      heartbeat: Number(heartbeat ?? -1),
      epoch: Number(epoch ?? 0),
      count: Number(count ?? -1),
      listed: Number(listed),
      now: Number(now),
    };
  }

  private async recover(
    redis: Redis,
    row: IncarnationRow,
    facts: RedisFacts,
  ): Promise<Admitted | null> {
    const { incarnation, epoch } = row;
    if (incarnation === null) return null;
    const run = serverRunOf(facts);
    const { isCluster } = facts;
    await recoverRedis(redis, this.incarnation, { ...run, isCluster, incarnation, epoch });
    // What was read before the recovery may predate the loss.
    const recovered = serverRunOf(await readRedisFacts(redis));
    if (recovered.replicationId !== run.replicationId) return null;
    const isOurs = await ask(() => this.incarnation.recordRun(incarnation, recovered, null));
    return isOurs ? { ...recovered, isCluster, incarnation, epoch, heartbeat: 0 } : null;
  }
}

/**
 * What was lost since the run that was found complete. Of a run under an earlier version it is not
 * known whether it was durable: then the present settings decide.
 */
function lossBefore({ isDurable }: IncarnationRow, facts: RedisFacts): LossKind | null {
  if (isDurable === false || !isFlushed(facts) || facts.wasPromoted) return 'restarted';
  return facts.evictedKeys > 0 ? 'evicted' : null;
}
