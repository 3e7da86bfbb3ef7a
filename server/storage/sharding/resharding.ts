import type { Shard, ShardList } from '../../../db/urls/shard-list';
import { LockyardError } from '../../contract/errors';
import { LEASE_MAX_MS } from '../../contract/namespace-policy';
import { rendezvousHash } from '../../core/rendezvous-hash';
import type { MysqlStore } from '../mysql/mysql-store';
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

/** How long one step on one shard may take. */
const STEP_TIMEOUT_MS = 10_000;

interface OpenShard {
  shard: Shard;
  store: MysqlStore;
  stamps: ShardMapStamp;
}

/** What a move has done. */
export interface MoveResult {
  /** Of all shards together. */
  records: number;
  moved: number;
  /** Nothing moved, and no new name, is granted before this instant of the shards' clocks. */
  grantsFrom: number;
}

/**
 * Puts a list of shards into force: `move`, then `serve`. Both may be interrupted and repeated from
 * the start; in between, the backend serves no caller.
 *
 * From the first new stamp on, no process with another list changes anything on that shard: see
 * `fencedSwap`. Once all shards are stamped, the records hold everything that was ever granted, so
 * the longest remaining lease is read from them, however long the leases that were once allowed.
 */
export class Resharding {
  private constructor(
    private readonly backend: string,
    private readonly list: ShardList,
    readonly inspection: ShardInspection,
    private readonly open: OpenShard[],
  ) {}

  /**
   * Inspects every shard, including those that leave. Changes nothing.
   *
   * @throws LockyardError `BACKEND_DOWN` if one of them does not answer; `CONFLICT` if data might
   *   be lost, or nothing is to be done
   */
  static async begin(backend: string, list: ShardList): Promise<Resharding> {
    const open: OpenShard[] = [];
    try {
      const founds = new Map<string, FoundStamp>();
      for (const shard of [...list.shards, ...list.leaving]) {
        open.push(await opened(backend, shard));
        founds.set(shard.name, (await open.at(-1)?.stamps.read()) as FoundStamp);
      }
      const survey = inspectShards(backend, list, founds);
      if (typeof survey !== 'string') return new Resharding(backend, list, survey, open);
      throw new LockyardError('CONFLICT', `${survey} Nothing was changed.`);
    } catch (error) {
      await closeAll(open);
      throw error;
    }
  }

  /**
   * Stamps all shards, so that no caller is served, and moves every record to its new home.
   *
   * @param generation the backend's new epoch, above the one that the survey found
   */
  async move(generation: number): Promise<MoveResult> {
    const { lost } = this.inspection;
    await this.stampAll(movingStamp(generation), generation, lost);
    await this.refuseDuplicates();
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
    );
    return { records, moved, grantsFrom };
  }

  /** Puts the list into force. Epoch and `grantsFrom` must be recorded before. */
  async serve(generation: number): Promise<void> {
    await this.stampAll(servingStamp(this.list, generation), generation, []);
  }

  close(): Promise<void> {
    return closeAll(this.open);
  }

  private async stampAll(stamp: string, generation: number, lost: string[]): Promise<void> {
    const isServing = stamp === servingStamp(this.list, generation);
    const listed = this.list.shards.map(({ name }) => name);
    const members = isServing ? listed : this.inspection.members;
    for (const { shard, stamps } of this.open) {
      const place: ShardIdentity = { self: shard.name, generation, members, lost };
      await stamps.stamp(stamp, place);
    }
  }

  /** Two names for one database: the later stamp has replaced the earlier. */
  private async refuseDuplicates(): Promise<void> {
    for (const { shard, stamps } of this.open) {
      const self = (await stamps.read()).place?.self;
      if (self === shard.name) continue;
      throw new LockyardError(
        'CONFLICT',
        `${shard.name} and ${self} are one database. No record was moved. Name each database ` +
          `once and run this again: until then the backend "${this.backend}" serves no caller.`,
      );
    }
  }

  /** No clock that will judge a lock next is ahead of this. */
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

async function opened(backend: string, shard: Shard): Promise<OpenShard> {
  try {
    const store = await openShard(shard, null);
    return { shard, store, stamps: new ShardMapStamp(shard, STEP_TIMEOUT_MS) };
  } catch (cause) {
    throw new LockyardError(
      'BACKEND_DOWN',
      `The shard ${shard.name} of the backend "${backend}" cannot be reached. All of them ` +
        'must be, also those that leave. Nothing was changed.',
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
