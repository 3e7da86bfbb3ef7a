import { randomBytes } from 'node:crypto';
import type { Shard, ShardList } from '../../../db/urls/shard-list';
import { LockyardError } from '../../contract/errors';
import { LEASE_MAX_MS } from '../../contract/namespace-policy';
import { rendezvousHash } from '../../core/rendezvous-hash';
import { StartError } from '../../platform/start-error';
import type { MysqlStore } from '../mysql/mysql-store';
import { CLOCK } from '../mysql/packets/sql-text';
import { continueHistoryAfter } from '../recorded-position';
import type { EpochFence } from './epoch-fence';
import { inspectShards, type ShardInspection } from './evaluate-shards';
import { longestLease, type MovingShard, moveAnswers, moveRecords } from './move-records';
import { openShard } from './open-shard';
import {
  type FoundStamp,
  movingStamp,
  type ShardIdentity,
  ShardMapStamp,
  servingStamp,
} from './shard-map-stamp';

/** How long one step on one shard may take: its packets are larger than those of an engine. */
const STEP_TIMEOUT_MS = 10_000;

interface OpenShard {
  shard: Shard;
  store: MysqlStore;
  stamps: ShardMapStamp;
  /** The stamp that it had when it was inspected, or was given since; null: none. */
  stamp: string | null;
}

/** What a move has done. */
export interface MoveResult {
  /** How many records all shards have together. */
  records: number;
  moved: number;
  /** No moved lock and no new name is granted before this instant of the shards' clocks. */
  grantsFrom: number;
}

/**
 * Puts a list of shards into force: `move`, then `serve`. Both may be interrupted and repeated from
 * the start; in between, the backend serves no caller.
 *
 * From the first new stamp on, no process with another list changes anything on that shard: see
 * `fencedSwap`. So a reshard ends once another one has begun: it replaces only the stamps that it
 * has found, and moves records only while its own is on both shards. Once all shards are stamped,
 * the records hold everything that was ever granted, so the longest remaining lease is read from
 * them, however long the leases that were once allowed.
 */
export class Resharding {
  private readonly id = randomBytes(6).toString('hex');

  private constructor(
    private readonly backend: string,
    private readonly list: ShardList,
    readonly inspection: ShardInspection,
    private readonly open: OpenShard[],
    private readonly fence: EpochFence,
  ) {}

  /**
   * Inspects every shard, including those that leave. Changes nothing.
   *
   * @throws LockyardError `BACKEND_DOWN` if one of them does not answer; `CONFLICT` if data might
   *   be lost, or nothing is to be done
   */
  static async begin(backend: string, list: ShardList): Promise<Resharding> {
    const open: OpenShard[] = [];
    const fence: EpochFence = { stamp: null };
    try {
      const founds = new Map<string, FoundStamp>();
      for (const shard of [...list.shards, ...list.leaving]) {
        const one = await opened(backend, shard, fence);
        open.push(one);
        const found = await one.stamps.read();
        one.stamp = found.stamp;
        founds.set(shard.name, found);
      }
      const plan = inspectShards(backend, list, founds);
      if (typeof plan !== 'string') return new Resharding(backend, list, plan, open, fence);
      throw new LockyardError('CONFLICT', `${plan} Nothing was changed.`);
    } catch (error) {
      await closeAll(open);
      throw error;
    }
  }

  /**
   * Stamps all shards, so that no caller is served, and moves every record to its new home.
   *
   * @param generation the backend's new epoch, above the one that the inspection found
   * @param recordedOf up to which commit the history of a shard is recorded, by its id
   * @throws LockyardError `CONFLICT` if another reshard has begun
   */
  move(generation: number, recordedOf: (id: string) => Promise<number>): Promise<MoveResult> {
    const stamp = movingStamp(generation, this.id);
    return this.unlessOvertaken(stamp, async () => {
      await this.stampNew();
      await this.stampAll(stamp, generation, this.inspection.lost);
      this.fence.stamp = stamp;
      for (const { shard, stamps } of this.open) {
        await stamps.change(stamp, [continueHistoryAfter(await recordedOf(shard.id), CLOCK)]);
      }
      return this.moveAllRecords(generation, stamp);
    });
  }

  /**
   * Puts the list into force. Epoch and `grantsFrom` must have been recorded.
   *
   * @param grantsFrom from when names that were never used are granted; 0: immediately
   * @throws LockyardError `CONFLICT` if another reshard has begun
   */
  serve(generation: number, grantsFrom: number): Promise<void> {
    const stamp = servingStamp(this.list, generation);
    return this.unlessOvertaken(stamp, () => this.stampAll(stamp, generation, [], grantsFrom));
  }

  close(): Promise<void> {
    return closeAll(this.open);
  }

  private async moveAllRecords(generation: number, stamp: string): Promise<MoveResult> {
    const { lost } = this.inspection;
    const shards = this.open.map(({ shard: { name }, store }): MovingShard => {
      return { name, store, isLost: lost.includes(name) };
    });
    const homeOf = rendezvousHash(this.list.shards.map(({ name }) => name));
    const { leftMs, records } = await longestLease(shards);
    // A shard that lost data does not know its grants: then the longest possible lease counts.
    const waitMs = lost.length > 0 ? LEASE_MAX_MS : leftMs;
    const grantsFrom = waitMs === 0 ? 0 : (await this.latestClock()) + waitMs;
    const why = { by: 'reshard', reason: 'The lock was moved to another database.' };
    const moved = await moveRecords(shards, homeOf, { epoch: generation, grantsFrom, ...why });
    await moveAnswers(
      this.open.map(({ stamps }) => stamps),
      homeOf,
      stamp,
    );
    return { records, moved, grantsFrom };
  }

  private async stampAll(
    stamp: string,
    generation: number,
    lost: string[],
    pausedUntil = 0,
  ): Promise<void> {
    const grantsFrom = Math.max(pausedUntil, this.inspection.grantsFrom);
    const isServing = stamp === servingStamp(this.list, generation);
    const listed = this.list.shards.map(({ name }) => name);
    const members = isServing ? listed : this.inspection.members;
    for (const one of this.open) {
      const self = one.shard.name;
      const identity: ShardIdentity = { self, generation, members, lost, grantsFrom };
      await one.stamps.replace(one.stamp ?? '', stamp, identity);
      one.stamp = stamp;
    }
  }

  /**
   * Stamps the shards that have no stamp, before any other is stamped. So if one has none while
   * another carries the stamp of a move, it has lost its data since.
   */
  private async stampNew(): Promise<void> {
    const { members, lost } = this.inspection;
    for (const one of this.open) {
      if (one.stamp !== null) continue;
      const stamp = movingStamp(0);
      await one.stamps.stampNew(stamp, { self: one.shard.name, generation: 0, members, lost });
      one.stamp = stamp;
    }
  }

  /**
   * Runs a step. If it fails because a shard carries a stamp that this reshard did not give it,
   * throws that as the reason. The same happens if two names of the list lead to one database: the
   * second expects the stamp that the first has just replaced.
   *
   * @param next the stamp that the step gives
   */
  private async unlessOvertaken<T>(next: string, step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      throw (await this.conflict(next)) ?? error;
    }
  }

  /** The error that a stamp of another origin on a shard means; null: no shard carries one. */
  private async conflict(next: string): Promise<LockyardError | null> {
    for (const { shard, stamps, stamp: last } of this.open) {
      const found = await stamps.read().catch(() => null);
      if (!found) continue;
      const self = found.identity?.self ?? shard.name;
      if (found.stamp === next && self !== shard.name) {
        await this.forgetName(shard.name, next);
        return this.sameDatabase(shard.name, self);
      }
      const ours = [next, last, last ?? movingStamp(0)];
      if (!ours.includes(found.stamp)) return this.overtaken();
    }
    return null;
  }

  /** Removes a name from the members that the shards store, so that the list may omit it. */
  private async forgetName(name: string, stamp: string): Promise<void> {
    const stamped = this.open.filter((one) => one.stamp === stamp);
    for (const { stamps } of stamped) {
      const { identity } = await stamps.read();
      const members = identity?.members.filter((member) => member !== name);
      if (identity && members) await stamps.replace(stamp, stamp, { ...identity, members });
    }
  }

  private sameDatabase(name: string, self: string): LockyardError {
    return new LockyardError(
      'CONFLICT',
      `${name} and ${self} are one database. No record was moved. Name each database once and ` +
        `run this again: until then the backend "${this.backend}" serves no caller.`,
    );
  }

  private overtaken(): LockyardError {
    return new LockyardError(
      'CONFLICT',
      `Another reshard of the backend "${this.backend}" has begun, so this one has ended. No ` +
        'data is lost. Once no reshard is running, check which list of shards is in force.',
    );
  }

  /** The latest of the shards' clocks: none of them reaches an instant after it too early. */
  private async latestClock(): Promise<number> {
    const clocks = await Promise.all(
      this.open.map(
        async ({ store }) =>
          (await store.read([{ namespace: '.', name: '' }], [])).records[0]?.now ?? 0,
      ),
    );
    return Math.max(...clocks);
  }
}

async function opened(backend: string, shard: Shard, fence: EpochFence): Promise<OpenShard> {
  try {
    const store = await openShard(shard, fence, STEP_TIMEOUT_MS);
    return { shard, store, stamps: new ShardMapStamp(shard, STEP_TIMEOUT_MS), stamp: null };
  } catch (cause) {
    const why =
      cause instanceof StartError ? `cannot be used: ${cause.message}` : 'does not respond.';
    throw new LockyardError(
      'BACKEND_DOWN',
      `The shard ${shard.name} of the backend "${backend}" ${why} All shards must respond, ` +
        'including those that leave. Nothing was changed.',
      { cause },
    );
  }
}

async function closeAll(open: OpenShard[]): Promise<void> {
  for (const { store, stamps } of open) {
    stamps.close();
    await store.close();
  }
}
