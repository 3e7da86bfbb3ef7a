import type { Database } from '../../../db/database';
import type { ShardList } from '../../../db/urls/shard-list';
import { SHARD_REFUSAL_MIN_MS } from '../../core/timing';
import type { Clock } from '../../platform/clock';
import { Periodic } from '../../platform/periodic';
import { type BackendPast, backendPast } from '../incarnation/backend-past';
import { StoreError } from '../record-store';
import type { EpochFence } from './epoch-fence';
import {
  evaluateLeaving,
  evaluateShards,
  type InspectedShard,
  type ShardVerdict,
} from './evaluate-shards';
import {
  type FoundStamp,
  type ShardIdentity,
  ShardMapStamp,
  servingStamp,
  startingStamp,
} from './shard-map-stamp';

/** How often the shards are asked which list is in force. */
const POLL_MS = 1_000;

export interface ShardAdmissionOptions {
  backend: string;
  list: ShardList;
  database: Database;
  clock: Clock;
  /** Called when the reason for refusing service changes; null: serving. */
  onChange: (refusal: string | null) => void;
}

/**
 * Whether this process may use a backend's shards: only while the list stamped on them is its own.
 *
 * What makes this safe is not the poll, which is up to a second late, but the fence: every swap
 * compares the stamp in the step in which it writes. The poll informs operators, reads a new epoch,
 * and admits a process that has the new list.
 */
export class ShardAdmission {
  readonly fence: EpochFence = { stamp: null };
  private why: string | null = 'This backend has not been checked yet.';
  private known: BackendPast = { epoch: 1, grantsFrom: 0 };
  private refusedAt = Number.NEGATIVE_INFINITY;
  private readonly stamps: ShardMapStamp[];
  /** Those of the shards that leave, which are read only before the list begins. */
  private readonly leaving: ShardMapStamp[];
  private readonly polling = new Periodic({
    job: 'read the stamps of the shards',
    everyMs: POLL_MS,
    run: () => this.poll(),
  });
  private isClosed = false;

  constructor(private readonly options: ShardAdmissionOptions) {
    const { shards, leaving } = options.list;
    this.stamps = shards.map((shard) => new ShardMapStamp(shard));
    this.leaving = leaving.map((shard) => new ShardMapStamp(shard));
  }

  /** Why the backend serves no caller, as sentences that say what to do; null while it serves. */
  get refusal(): string | null {
    return this.why;
  }

  /** The backend's past in the control database when this process was last admitted. */
  get past(): BackendPast {
    return this.known;
  }

  /** Polls once, then periodically. Resolves after the first poll, whatever it found. */
  start(): Promise<void> {
    return this.polling.startNow();
  }

  close(): void {
    this.isClosed = true;
    void this.polling.stop();
    this.refuse('This backend is closed.');
    for (const stamps of [...this.stamps, ...this.leaving]) stamps.close();
  }

  private async poll(): Promise<void> {
    try {
      let verdict = await this.evaluate();
      if (verdict.verdict === 'begin') {
        await this.begin();
        verdict = await this.evaluate();
      }
      if (this.isClosed) return;
      if (verdict.verdict === 'serve') await this.open(verdict);
      else if (verdict.verdict === 'refuse') this.refuse(verdict.why);
      else if (verdict.verdict === 'wait' && this.fence.stamp === null) this.refuse(verdict.why);
    } catch (cause) {
      if (this.fence.stamp === null) this.refuse(UNREADABLE, cause);
    }
  }

  private async evaluate(): Promise<ShardVerdict> {
    const { backend, list } = this.options;
    const verdict = evaluateShards(
      backend,
      list,
      await inspect(this.stamps, (each) => each.read()),
    );
    if (verdict.verdict !== 'begin' || this.leaving.length === 0) return verdict;
    const leaving = await inspect(this.leaving, (each) => each.readIfUsed());
    return evaluateLeaving(backend, leaving) ?? verdict;
  }

  /** Stamps new shards in two steps, so that a shard that has served is never taken for new. */
  private async begin(): Promise<void> {
    const { backend, list, database, clock } = this.options;
    const { epoch } = await backendPast(database, backend, clock.now());
    const members = list.shards.map(({ name }) => name);
    const identity = (self: string): ShardIdentity => ({
      self,
      generation: epoch,
      members,
      lost: [],
    });
    for (const stamps of this.stamps) {
      await stamps.stampNew(startingStamp(list), identity(stamps.shard.name));
    }
    const found = await Promise.all(this.stamps.map((stamps) => stamps.read()));
    const areOurs = found.every(({ identity, stamp }, i) => {
      const isOurs = stamp === startingStamp(list) || stamp === servingStamp(list, epoch);
      return isOurs && identity?.self === this.stamps[i]?.shard.name;
    });
    if (!areOurs) return;
    for (const stamps of this.stamps) {
      await stamps.restamp(startingStamp(list), servingStamp(list, epoch));
    }
  }

  /**
   * Reads epoch and `grantsFrom` before any caller is admitted, and again for every new stamp. Of
   * those in the control database and on the shards, the later ones count.
   */
  private async open(served: Extract<ShardVerdict, { verdict: 'serve' }>): Promise<void> {
    const { stamp, generation } = served;
    if (this.fence.stamp === stamp) return;
    const { backend, database, clock, onChange } = this.options;
    if (this.fence.stamp !== null) this.refuse(REOPENS);
    if (clock.monotonic() - this.refusedAt < SHARD_REFUSAL_MIN_MS) return;
    const past = await backendPast(database, backend, clock.now());
    if (this.isClosed) return;
    const grantsFrom = Math.max(past.grantsFrom, served.grantsFrom);
    this.known = { epoch: Math.max(past.epoch, generation), grantsFrom };
    this.fence.stamp = stamp;
    this.why = null;
    onChange(null);
  }

  private refuse(why: string, cause?: unknown): void {
    if (this.fence.stamp !== null) this.refusedAt = this.options.clock.monotonic();
    this.fence.stamp = null;
    if (this.why === why) return;
    this.why = why;
    if (!this.isClosed) this.options.onChange(cause ? `${why} ${cause}` : why);
  }
}

function inspect(
  all: ShardMapStamp[],
  read: (stamps: ShardMapStamp) => Promise<FoundStamp>,
): Promise<InspectedShard[]> {
  const inspected = all.map(async (stamps): Promise<InspectedShard> => {
    const { name } = stamps.shard;
    try {
      return { name, found: await read(stamps) };
    } catch (error) {
      return { name, found: null, refusal: error instanceof StoreError ? error.refusal : null };
    }
  });
  return Promise.all(inspected);
}

const UNREADABLE = 'The stamps of its shards cannot be read: a database is not responding.';
const REOPENS = 'The backend was resharded a moment ago. It is served again in a few seconds.';
