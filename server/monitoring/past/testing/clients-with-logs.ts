import { LockyardError } from '../../../contract/errors';
import {
  type AcquireOptions,
  acquire,
  type Member,
  pause,
  release,
  renew,
} from '../../../engine/testing/engine-rig';
import type { RecordKey } from '../../../storage/record-store';

/** What a client knows about one hold or wait. */
interface Stay {
  lock: number;
  owner: string;
  /** Whether it certainly held, or waited, at an instant; null: it cannot say. */
  isThere: (at: number) => boolean | null;
}

interface Wait extends Stay {
  /** An instant in the middle of it, once its end is known. */
  middle: number | null;
}

/** How far a change is from any instant that is asked about. */
const CLEAR_MS = 50;

/** The longest time for which clients continue until one of them has certainly waited. */
const PATIENCE_MS = 30_000;

/** Clients that hold and wait for locks at random, and note when. */
export class ClientsWithLogs {
  readonly holds: Stay[] = [];
  readonly waits: Wait[] = [];

  constructor(
    private readonly members: readonly Member[],
    private readonly locks: readonly RecordKey[],
    private readonly random: () => number,
  ) {}

  /** At least this long, and on a slow machine until there are `instantsOfWaiting`. */
  async runFor(clients: number, ms: number): Promise<void> {
    const until = Date.now() + ms;
    const continues = () => {
      const leftMs = until - Date.now();
      return leftMs > 0 || (leftMs > -PATIENCE_MS && this.instantsOfWaiting().length === 0);
    };
    await Promise.all(Array.from({ length: clients }, (_, i) => this.client(i, continues)));
  }

  /** Instants at which a client certainly waited, and no other client of its lock is unsure. */
  instantsOfWaiting(): number[] {
    return this.waits.flatMap(({ lock, middle }) =>
      middle !== null && this.at(lock, middle)?.waiters.length ? [middle] : [],
    );
  }

  /** The owners that hold a lock, and those that wait; null where a client cannot say. */
  at(lock: number, at: number): { holders: string[]; waiters: string[] } | null {
    const of = (stays: Stay[]) => {
      const owners: string[] = [];
      for (const stay of stays) {
        if (stay.lock !== lock) continue;
        const isThere = stay.isThere(at);
        if (isThere === null) return null;
        if (isThere) owners.push(stay.owner);
      }
      return owners.sort();
    };
    const [holders, waiters] = [of(this.holds), of(this.waits)];
    return holders && waiters && { holders, waiters };
  }

  private async client(number: number, continues: () => boolean): Promise<void> {
    const { random, members } = this;
    const member = members[number % members.length] as Member;
    for (let turn = 0; continues(); turn += 1) {
      const lock = Math.floor(random() * this.locks.length);
      await this.stay(member, lock, `client-${number}-${turn}`);
      await pause(random() * 150);
    }
  }

  /** A third of the locks is shared, a third has permits. */
  private options(lock: number): AcquireOptions {
    // A shorter lease may be granted too late on a busy machine: history has that, the client not.
    const leaseMs = 1_200 + Math.floor(this.random() * 400);
    const waitMs = this.random() < 0.2 ? 0 : 2_500 + Math.floor(this.random() * 900);
    if (lock % 3 === 1)
      return { leaseMs, waitMs, mode: this.random() < 0.7 ? 'shared' : 'exclusive' };
    if (lock % 3 === 2) return { leaseMs, waitMs, mode: 'permit', permits: 2, capacity: 3 };
    return { leaseMs, waitMs };
  }

  private async stay(member: Member, lock: number, owner: string): Promise<void> {
    const key = this.locks[lock] as RecordKey;
    const options = this.options(lock);
    const askedAt = Date.now();
    const wait: Wait = { lock, owner, isThere: () => null, middle: null };
    // Until its answer has arrived, a client cannot say when its wait began.
    wait.isThere = (at) => (at > askedAt - CLEAR_MS ? null : false);
    this.waits.push(wait);
    const answer = await acquire(member, key, owner, options);
    const answeredAt = Date.now();
    if (answer.outcome !== 'granted') {
      wait.isThere = (at) => (at > askedAt - CLEAR_MS && at < answeredAt + CLEAR_MS ? null : false);
      return;
    }
    const { leaseMs = 0 } = options;
    const grantedAt = answer.expiresAt - leaseMs;
    wait.isThere = within(grantedAt - answer.waitedMs, grantedAt, grantedAt);
    wait.middle = grantedAt - Math.floor(answer.waitedMs / 2);
    let { expiresAt } = answer;
    const hold = { lock, owner, isThere: within(grantedAt, expiresAt, expiresAt) };
    this.holds.push(hold);
    const { random } = this;
    const isForgotten = random() < 0.15;
    for (let renewals = Math.floor(random() * 3); renewals > 0; renewals -= 1) {
      await pause(random() * 150);
      const sentAt = Date.now();
      hold.isThere = within(grantedAt, sentAt, Number.POSITIVE_INFINITY);
      const renewed = await renew(member, key, owner, answer.token, leaseMs);
      if (renewed.outcome !== 'renewed') {
        // It may have been renewed, for a lease that expired before its answer.
        hold.isThere = within(grantedAt, expiresAt, Date.now());
        return;
      }
      ({ expiresAt } = renewed);
      hold.isThere = within(grantedAt, expiresAt, expiresAt);
    }
    if (isForgotten) return;
    await pause(random() * 150);
    const sentAt = Date.now();
    hold.isThere = within(grantedAt, sentAt, Number.POSITIVE_INFINITY);
    const released = await release(member, key, owner, answer.token).catch((error: unknown) => {
      if (error instanceof LockyardError) return { outcome: 'unknown' } as const;
      throw error;
    });
    if (released.outcome === 'released') hold.isThere = within(grantedAt, sentAt, Date.now());
    else hold.isThere = within(grantedAt, Math.min(sentAt, expiresAt), expiresAt);
  }
}

/** It lasted from `from` until some instant from `to` to `end`. */
function within(from: number, to: number, end: number): (at: number) => boolean | null {
  return (at) => {
    if (at < from - CLEAR_MS || at > end + CLEAR_MS) return false;
    if (at > from + CLEAR_MS && at < to - CLEAR_MS) return true;
    // A wait without length does not count, except near its instant.
    return null;
  };
}
