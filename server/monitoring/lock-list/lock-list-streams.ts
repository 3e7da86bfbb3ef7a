import { setTimeout } from 'node:timers/promises';
import type { LockListInput } from '../../contract/console/console-inputs';
import type { LockListMessage } from '../../contract/console/lock-list-message';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import { Periodic } from '../../platform/periodic';
import { SerialQueue } from '../../platform/serial-queue';
import { viewKey } from './list-view';
import { ListWindow, type WindowState } from './list-window';
import type { LockListPages } from './lock-list-pages';
import type { TimeSlice } from './order/time-slice';
import type { LockTable } from './table/lock-table';
import { TimeBudget } from './time-budget';

/** Changes are sent at most once per tick, however many there are. */
const TICK_MS = 500;

/** An unchanged list is sent again after this time, so that pages can show its age. */
const KEEP_ALIVE_MS = 2_000;

/** A window without followers is kept this long, so that a disconnected page can resume. */
const RESUME_WITHIN_MS = 30_000;

/** How many turns a stream gets to encode and send a message before the next stream is served. */
const TURNS_TO_SEND = 8;

/** The rest before the next stream is opened, as a multiple of the time that sending took. */
const REST_AFTER_OPENING = 3;

/** A message, and the id from which a stream can resume. */
export interface TrackedMessage {
  id: string;
  data: LockListMessage;
}

interface FollowedWindow {
  window: ListWindow;
  input: LockListInput;
  /** Each wakes one follower. */
  readers: Set<() => void>;
  readAt: number;
  /** The state for which all followers were last woken. */
  notifiedOf: WindowState | null;
  /** When the last follower left; null while there is one. */
  leftAt: number | null;
}

/**
 * The lock list for pages that follow it. All are served in one tick, so that what they have in
 * common is read once. Together they may use a share of one core, and wait when it is used up.
 */
export class LockListStreams {
  private readonly followed = new Map<string, FollowedWindow>();
  private readonly budget: TimeBudget;
  private readonly ticking: Periodic;
  private lastTickMs = 0;
  /** First reads, one at a time: after a restart all pages open their streams together. */
  private readonly firstReads = new SerialQueue();

  /** @param epoch unique to this process */
  constructor(
    private readonly table: LockTable,
    private readonly lists: LockListPages,
    private readonly clock: Clock,
    private readonly epoch: string,
    log: Pick<Log, 'warn'>,
  ) {
    this.budget = new TimeBudget(() => clock.monotonic());
    this.ticking = new Periodic({
      job: 'send live lists',
      everyMs: () => this.pauseMs(),
      run: () => this.tick(),
      log,
    });
  }

  /** See `LockPage`. */
  get isSlowed(): boolean {
    return this.budget.isSlowed;
  }

  /** How many streams follow a list. */
  get readers(): number {
    return [...this.followed.values()].reduce((sum, { readers }) => sum + readers.size, 0);
  }

  /**
   * Sends the list, then its changes, until the signal aborts. A reader that was cut off a moment
   * ago gets only the changes.
   *
   * @param lastId the id of the last message that this reader received
   */
  async *follow(
    input: LockListInput,
    lastId: string | null,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TrackedMessage, void> {
    const followed = this.followedWindow(input);
    const { window } = followed;
    let wake = () => {};
    const reader = () => wake();
    const stop = () => wake();
    this.join(followed, reader);
    signal?.addEventListener('abort', stop);
    try {
      let seen = this.resumed(window, lastId);
      await this.openNext(followed, signal);
      while (!signal?.aborted) {
        const now: WindowState | null = window.last;
        if (now && now !== seen) {
          const data = seen ? window.changes(seen, now) : window.snapshot(now);
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
    void this.ticking.stop();
    for (const { readers } of this.followed.values()) for (const wake of readers) wake();
  }

  private followedWindow(input: LockListInput): FollowedWindow {
    const key = `${viewKey(input)}/${input.offset}/${input.limit}`;
    const known = this.followed.get(key);
    if (known) return known;
    const view = this.lists.view(input);
    view.windows += 1;
    const window = new ListWindow(view, this.table, input);
    const at = { readAt: Number.NEGATIVE_INFINITY, notifiedOf: null, leftAt: null };
    const followed: FollowedWindow = { window, input, readers: new Set(), ...at };
    this.followed.set(key, followed);
    return followed;
  }

  /**
   * Resolves when the window is read. The next stream is opened once this one has sent it, and a
   * rest later: encoding whole lists without a break would leave little of this thread to callers.
   */
  private openNext(followed: FollowedWindow, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      void this.firstReads.run(async () => {
        const slice = this.table.slice();
        await this.readFirst(followed, slice, signal).then(resolve, reject);
        const readMs = slice.spentMs;
        await yieldToStream();
        const { spentMs } = slice;
        this.budget.spend(spentMs);
        const restMs = (spentMs - readMs) * REST_AFTER_OPENING;
        if (restMs >= 1) await setTimeout(restMs);
      });
    });
  }

  private async readFirst(
    followed: FollowedWindow,
    slice: TimeSlice,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (signal?.aborted) return;
    await slice.wait(this.table.refresh());
    const isOld = this.clock.monotonic() - followed.readAt >= TICK_MS;
    await this.readWindow(followed, isOld, slice);
  }

  private resumed(window: ListWindow, lastId: string | null): WindowState | null {
    const [epoch, number] = (lastId ?? '').split('.');
    return epoch === this.epoch ? window.find(Number(number)) : null;
  }

  private join(followed: FollowedWindow, reader: () => void): void {
    followed.readers.add(reader);
    followed.leftAt = null;
    this.ticking.start();
  }

  private leave(followed: FollowedWindow, reader: () => void): void {
    followed.readers.delete(reader);
    if (followed.readers.size === 0) followed.leftAt = this.clock.monotonic();
  }

  private async tick(): Promise<void> {
    const startedAt = this.clock.monotonic();
    this.evictIdle(startedAt);
    try {
      if (this.followed.size === 0) void this.ticking.stop();
      else if (this.readers > 0) await this.notify();
    } finally {
      this.lastTickMs = this.clock.monotonic() - startedAt;
    }
  }

  /** From the end of one tick to the start of the next. */
  private pauseMs(): number {
    const waitMs = this.budget.waitMs();
    if (waitMs > TICK_MS) this.budget.noteDelay();
    return Math.max(waitMs, TICK_MS - this.lastTickMs, 0);
  }

  /** Notifies all followers of changes; called at every tick. */
  async notify(): Promise<void> {
    const begunAt = this.clock.monotonic();
    await this.table.refresh();
    const slice = this.table.slice();
    for (const followed of [...this.followed.values()]) {
      const { window, readers } = followed;
      const isKeepAlive = begunAt - followed.readAt >= KEEP_ALIVE_MS - TICK_MS / 2;
      if (readers.size === 0) continue;
      await this.readWindow(followed, isKeepAlive, slice);
      // New followers read the window too, so this read need not be the one that found a change.
      if (window.last === followed.notifiedOf) continue;
      followed.notifiedOf = window.last;
      for (const wake of [...readers]) {
        wake();
        await yieldToStream();
        if (slice.isOver) await slice.pause();
      }
    }
    this.budget.spend(slice.spentMs);
  }

  private async readWindow(
    followed: FollowedWindow,
    isKeepAlive: boolean,
    slice: TimeSlice,
  ): Promise<void> {
    const { window, input } = followed;
    await window.view.update(slice);
    const shared = this.lists.shared(this.isSlowed, isKeepAlive);
    const before = window.last;
    window.read(this.lists.frame(window.view, input.offset, shared), isKeepAlive);
    if (window.last !== before) followed.readAt = this.clock.monotonic();
    if (slice.isOver) await slice.pause();
  }

  private evictIdle(now: number): void {
    for (const [key, { window, leftAt }] of this.followed) {
      if (leftAt === null || now - leftAt < RESUME_WITHIN_MS) continue;
      window.view.windows -= 1;
      this.followed.delete(key);
    }
  }
}

/** Lets a woken stream do its immediate work, which counts towards a message's cost. */
export async function yieldToStream(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_SEND; turn += 1) {
    await new Promise<void>((resolve) => process.nextTick(resolve));
  }
}
