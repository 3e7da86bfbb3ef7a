import type { LockListInput } from '../../contract/console/console-inputs';
import type { LockListMessage } from '../../contract/console/lock-list-message';
import type { Clock } from '../../platform/clock';
import { viewText } from './list-view';
import { ListWindow, type SeenWindow } from './list-window';
import type { LockLists } from './lock-lists';
import type { TimeSlice } from './order/time-slice';
import { Spending } from './spending';
import type { LockTable } from './table/lock-table';

/** Changes are sent at most once per tick, however many there are. */
const TICK_MS = 500;

/** An unchanged list is sent once in this time, so that pages can show its age. */
const BEAT_MS = 2_000;

/**
 * A window without followers is kept this long, so that a page that lost its connection can resume.
 */
const RESUME_WITHIN_MS = 30_000;

/** After a message its stream may make a text of it and send it, before the next one is made. */
const TURNS_TO_SEND = 8;

/** A message and the id from which a stream that was cut off goes on. */
export interface TrackedMessage {
  id: string;
  data: LockListMessage;
}

interface Followed {
  window: ListWindow;
  input: LockListInput;
  /** Each wakes one that follows it. */
  readers: Set<() => void>;
  lookedAt: number;
  /** What all who follow it have been woken for. */
  told: SeenWindow | null;
  /** When the last follower left; null while there is one. */
  leftAt: number | null;
}

/**
 * The lock list for those who follow it. All of them are served at one tick, so that what they look
 * at in common is looked at once; together they may take a share of a core, and wait when they have
 * had it.
 */
export class LiveLists {
  private readonly followed = new Map<string, Followed>();
  private readonly spending: Spending;
  private timer: NodeJS.Timeout | undefined;
  /** The last of those that begin. */
  private beginning: Promise<unknown> = Promise.resolve();

  /** @param epoch unlike that of any other process */
  constructor(
    private readonly table: LockTable,
    private readonly lists: LockLists,
    private readonly clock: Clock,
    private readonly epoch: string,
  ) {
    this.spending = new Spending(() => clock.monotonic());
  }

  /** See `LockPage`. */
  get isSlowed(): boolean {
    return this.spending.isSlowed;
  }

  /** How many follow lists. */
  get readers(): number {
    return [...this.followed.values()].reduce((sum, { readers }) => sum + readers.size, 0);
  }

  /**
   * The list, then its changes, until the signal. Changes alone, where the reader was cut off a
   * moment ago.
   *
   * @param lastId the id of the last message that this reader has had
   */
  async *follow(
    input: LockListInput,
    lastId: string | null,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TrackedMessage, void> {
    const followed = this.windowOf(input);
    const { window } = followed;
    let wake = () => {};
    const reader = () => wake();
    const stop = () => wake();
    this.join(followed, reader);
    signal?.addEventListener('abort', stop);
    try {
      let seen = this.resumed(window, lastId);
      await this.begin(followed, signal);
      while (!signal?.aborted) {
        const now: SeenWindow | null = window.last;
        if (now && now !== seen) {
          const data = seen ? window.changes(seen, now) : window.whole(now);
          seen = now;
          yield { id: `${this.epoch}.${now.number}`, data };
          if (window.last !== now) continue;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (signal?.aborted) resolve();
        });
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      this.leave(followed, reader);
    }
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const { readers } of this.followed.values()) for (const wake of readers) wake();
  }

  private windowOf(input: LockListInput): Followed {
    const key = `${viewText(input)}/${input.offset}/${input.limit}`;
    const known = this.followed.get(key);
    if (known) return known;
    const view = this.lists.view(input);
    view.windows += 1;
    const window = new ListWindow(view, this.table, input);
    const at = { lookedAt: Number.NEGATIVE_INFINITY, told: null, leftAt: null };
    const followed: Followed = { window, input, readers: new Set(), ...at };
    this.followed.set(key, followed);
    return followed;
  }

  /** The first look of one stream after another: after a restart all pages open theirs at once. */
  private async begin(followed: Followed, signal: AbortSignal | undefined): Promise<void> {
    const look = async () => {
      if (signal?.aborted) return;
      await this.table.settle();
      const slice = this.table.slice();
      const isOld = this.clock.monotonic() - followed.lookedAt >= TICK_MS;
      await this.look(followed, isOld, slice);
      this.spending.spend(slice.spentMs);
    };
    const done = this.beginning.then(look);
    this.beginning = done.catch(() => undefined);
    await done;
  }

  private resumed(window: ListWindow, lastId: string | null): SeenWindow | null {
    const [epoch, number] = (lastId ?? '').split('.');
    return epoch === this.epoch ? window.seen(Number(number)) : null;
  }

  private join(followed: Followed, reader: () => void): void {
    followed.readers.add(reader);
    followed.leftAt = null;
    this.timer ??= setTimeout(() => this.tick(), TICK_MS).unref();
  }

  private leave(followed: Followed, reader: () => void): void {
    followed.readers.delete(reader);
    if (followed.readers.size === 0) followed.leftAt = this.clock.monotonic();
  }

  private async tick(): Promise<void> {
    const begunAt = this.clock.monotonic();
    this.letGo(begunAt);
    try {
      if (this.readers > 0) await this.tell();
    } finally {
      this.planTick(begunAt);
    }
  }

  private planTick(begunAt: number): void {
    if (this.followed.size === 0) this.timer = undefined;
    if (!this.timer) return;
    const waitMs = this.spending.waitMs();
    if (waitMs > TICK_MS) this.spending.noteWait();
    const passedMs = this.clock.monotonic() - begunAt;
    this.timer = setTimeout(() => this.tick(), Math.max(waitMs, TICK_MS - passedMs)).unref();
  }

  /** Tells everybody who follows a list what has changed; done by itself at every tick. */
  async tell(): Promise<void> {
    const begunAt = this.clock.monotonic();
    await this.table.settle();
    const slice = this.table.slice();
    for (const followed of [...this.followed.values()]) {
      const { window, readers } = followed;
      const isBeat = begunAt - followed.lookedAt >= BEAT_MS - TICK_MS / 2;
      if (readers.size === 0) continue;
      await this.look(followed, isBeat, slice);
      // The window may have changed since the last tick without this look: a new follower reads it
      // too.
      if (window.last === followed.told) continue;
      followed.told = window.last;
      for (const wake of [...readers]) {
        wake();
        await sent();
        if (slice.isOver) await slice.pause();
      }
    }
    this.spending.spend(slice.spentMs);
  }

  private async look(followed: Followed, isBeat: boolean, slice: TimeSlice): Promise<void> {
    const { window, input } = followed;
    await window.view.update(slice);
    const shared = this.lists.shared(this.isSlowed, isBeat);
    const before = window.last;
    window.look(this.lists.frame(window.view, input.offset, shared), isBeat);
    if (window.last !== before) followed.lookedAt = this.clock.monotonic();
    if (slice.isOver) await slice.pause();
  }

  private letGo(now: number): void {
    for (const [key, { window, leftAt }] of this.followed) {
      if (leftAt === null || now - leftAt < RESUME_WITHIN_MS) continue;
      window.view.windows -= 1;
      this.followed.delete(key);
    }
  }
}

/**
 * Lets streams that have just been woken do all that they do at once: it is part of what a message
 * costs.
 */
async function sent(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_SEND; turn += 1) {
    await new Promise<void>((resolve) => process.nextTick(resolve));
  }
}
