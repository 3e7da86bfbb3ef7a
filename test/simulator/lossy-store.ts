import type { Redis } from 'ioredis';
import type { Database } from '@/db/database';
import { StoreIncarnation } from '@/server/storage/incarnation/store-incarnation';
import { recordId } from '@/server/storage/record-id';
import { RedisStore } from '@/server/storage/redis/redis-store';
import { controlDatabaseOver } from './sim-control-database';
import { BEGAN_AT } from './sim-database';
import { SimLink } from './sim-link';
import type { SimProcess } from './sim-process';
import { type RedisSnapshot, SimRedis } from './sim-redis';
import { SimRedisDriver } from './sim-redis-driver';
import type { SimWorld } from './sim-world';

/** What a broken build, or its store, does differently in a world with data loss. */
export interface LossyStoreFlaws {
  incarnation?: (honest: StoreIncarnation, control: Database) => StoreIncarnation;
  /** The server reports that it flushes every write, but does not. */
  saysFlushed?: boolean;
  /** The server does not report that it has followed another one. */
  hidesFollowing?: boolean;
}

/** The longest time for which the server is unreachable when it is restarted. */
const DOWN_MS = 1_500;
const COPIES_MAX = 20;
const PAUSE_MS = 150;
const HEARTBEAT_EVERY_MS = 1_000;

/** Not `default`: that is the control database, which loses nothing here. */
export const LOSSY_BACKEND = 'remote';

/**
 * A world's store that now and then loses data while processes keep running: emptied, restored from
 * an older copy, killed with its last writes unflushed and perhaps set to flush them from then on,
 * stripped of a record, or made to follow another server that lacks the last writes. Processes
 * reach it through the real `RedisStore` and its guard.
 */
export class LossyStore {
  readonly redis: SimRedis;
  /** Called with the id of the record that was lost; null: all of them. */
  onLoss: (id: string | null) => void = () => undefined;
  /** Called when complete data was treated as lost. */
  onFalseAlarm: () => void = () => undefined;
  private isLost = false;
  private epoch = 1;
  private copies: RedisSnapshot[] = [];

  /** @param random separate random numbers, so that the worlds of older seeds stay the same */
  constructor(
    private readonly world: SimWorld,
    private readonly control: Database,
    private readonly random: () => number,
  ) {
    const { saysFlushed, hidesFollowing } = world.flaws.lossyStore ?? {};
    const flushes = random() < 0.5 && !saysFlushed;
    const says = flushes || saysFlushed;
    this.redis = new SimRedis(world.database, flushes, says, hidesFollowing);
    this.redis.onIncarnation = (epoch) => {
      if (epoch > this.epoch && !this.isLost) this.onFalseAlarm();
      if (epoch > this.epoch) this.isLost = false;
      this.epoch = Math.max(this.epoch, epoch);
      if (epoch > 1) this.onLoss(null);
    };
  }

  /** Whether a process has noticed every loss so far. @param epoch the present one, as it knows */
  hasNoticed(epoch: number): boolean {
    return !this.isLost && epoch === this.epoch;
  }

  /** Opens the store for a starting process; rejects if the control database does not answer. */
  async open({ owner }: SimProcess): Promise<{ store: RedisStore; incarnation: StoreIncarnation }> {
    const { world, redis, control } = this;
    const { scheduler, random, flaws } = world;
    const link = new SimLink(scheduler, owner, random, (call) => world.fateOf(call));
    const reached = controlDatabaseOver(control, link);
    const honest = await StoreIncarnation.open(reached, LOSSY_BACKEND, BEGAN_AT);
    const incarnation = flaws.lossyStore?.incarnation?.(honest, reached) ?? honest;
    const openDriver = () =>
      new SimRedisDriver(redis, link, () => scheduler.now) as unknown as Redis;
    const manner = { heartbeatMs: HEARTBEAT_EVERY_MS, openDriver };
    return { store: new RedisStore('redis://simulated', incarnation, manner), incarnation };
  }

  /**
   * Keeps a refused caller from retrying immediately: a store that is being inspected for lost data
   * is unavailable for long.
   */
  pause(): Promise<void> {
    return this.world.scheduler.pause(PAUSE_MS);
  }

  /** Takes a copy after some time has passed, and perhaps loses data. */
  async perhapsLose(): Promise<void> {
    const { random, redis, copies } = this;
    copies.push(redis.snapshot());
    if (copies.length > COPIES_MAX) copies.shift();
    const dice = random();
    if (dice < 0.03) this.lose('emptied', () => redis.empty());
    else if (dice < 0.07) await this.putCopyBack();
    else if (dice < 0.11) await this.crash();
    else if (dice < 0.14) this.dropRecord();
    else if (dice < 0.17) this.follow();
  }

  private async putCopyBack(): Promise<void> {
    const old = this.copies.filter(await this.detector());
    const copy = old[Math.floor(this.random() * old.length)];
    if (!copy) return;
    this.lose('an older copy', () => this.restart(copy));
  }

  private async crash(): Promise<void> {
    const [last] = this.copies.slice(-1 - Math.floor(this.random() * 2));
    if (this.redis.flushes) await this.restartWhole();
    else if (last) {
      const startsFlushing = this.random() < 0.3 && !this.world.flaws.lossyStore?.saysFlushed;
      this.lose('a crash', () => this.restart(last));
      if (startsFlushing) this.redis.flushFromNowOn();
    }
  }

  /**
   * Where every write is flushed, a restart loses nothing, but it erases the trace of having
   * followed another server. Until that loss is noticed, the server restarts only if the heartbeat
   * in its data reveals the loss.
   */
  private async restartWhole(): Promise<void> {
    const isDetectable = await this.detector();
    const memory = this.redis.snapshot();
    const isTakenOver = this.isLost && this.redis.hasFollowed;
    if (!isTakenOver || isDetectable(memory)) this.restart(memory);
  }

  /**
   * Decides whether a copy can be distinguished from the present after a restart. If every write is
   * flushed, a copy as recent as the last known heartbeat cannot be, and no promise covers it.
   */
  private async detector(): Promise<(copy: RedisSnapshot) => boolean> {
    const { backends } = this.control.tables;
    const [row] = await this.control.db.select().from(backends);
    return ({ marker }) =>
      !this.redis.flushes || marker?.life !== row?.life || (marker?.beat ?? -1) < (row?.beat ?? 0);
  }

  private follow(): void {
    const [last] = this.copies.slice(-1 - Math.floor(this.random() * 2));
    if (last) this.lose('it followed another server', () => this.redis.follow(last));
  }

  private restart(memory: RedisSnapshot): void {
    this.redis.restart(this.world.scheduler.now + this.random() * DOWN_MS);
    this.redis.restore(memory);
  }

  private dropRecord(): void {
    const records = this.world.database.all();
    const one = records[Math.floor(this.random() * records.length)];
    if (!one) return;
    const id = recordId(one.key);
    this.lose(`${id} deleted`, () => this.redis.drop(id), id);
  }

  private lose(what: string, how: () => void, id: string | null = null): void {
    how();
    this.isLost = true;
    this.onLoss(id);
    this.world.trace.add(`${this.world.scheduler.now} lost: ${what}`);
  }
}
