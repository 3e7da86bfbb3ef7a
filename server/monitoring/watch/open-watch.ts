import { WATCH_PAGE_MAX, type WatchAnswer } from '../../contract/lock/watch';
import type { TimeSlice } from '../lock-list/order/time-slice';
import type { AnswerTurns } from './answer-turns';
import type { LockChange } from './change-journal';
import type { WatchPace } from './lock-watches';
import type { VersionSeal } from './version-seal';
import type { WatchJournals } from './watch-journals';
import { positionText, type WatchPosition } from './watch-position';
import type { WatchReader } from './watch-reader';
import type { WatchTarget } from './watch-target';
import type { Covered, WatchedNamespace } from './watched-namespace';

/** A watch that is this many locks behind is sent the present states instead. */
const PENDING_MAX = 10_000;

/** How far a backend's clock can be set back without a position missing a change. */
const CLOCK_SKEW_MS = 1_000;

/** How long a position of another process waits until this one has read as far. */
const CATCH_UP_MAX_MS = 5_000;
const CATCH_UP_EVERY_MS = 50;

/** An answer about more locks is a large one. */
const SMALL_LOCKS = 50;

/** What a request for changes costs besides its answer, in milliseconds of a core. */
const REQUEST_MS = 0.2;

/** Progress through the present states. */
interface Snapshot extends Covered {
  after: string | null;
}

/** What all watches of a process have in common. */
interface WatchService {
  journals: WatchJournals;
  reader: WatchReader;
  turns: AnswerTurns;
  seal: VersionSeal;
  /** Unique to this process. */
  processId: string;
}

/** One caller's watch, from its first answer on. `note` notes changes, `wake` wakes it. */
export class OpenWatch {
  private readonly pending = new Set<string>();
  private snapshot: Snapshot | null = null;
  /** Whether the next answer says that the requested position is not kept. */
  private isReset = false;
  /** What this process had read when the watch began. */
  private readonly begun: Covered;
  private isEnding = false;
  private wakeUp = () => {};

  constructor(
    readonly target: WatchTarget,
    private readonly watched: WatchedNamespace,
    private readonly service: WatchService,
  ) {
    this.begun = this.now();
  }

  /**
   * Waits until this process has read as far as the one that answered a position, so that no lock
   * is sent in an earlier state. A position of a later instant than now is from before the
   * backend's clock was set back: then it waits until everything written by now is read.
   *
   * @returns false if it has not read as far although its backend, or a shard of it, responds: the
   *   watch cannot be answered yet
   */
  async catchUp(
    since: WatchPosition,
    { signal, onWaiting }: Pick<WatchPace, 'signal' | 'onWaiting'>,
  ): Promise<boolean> {
    if (this.ownVersion(since) !== null) return true;
    onWaiting();
    const { watched } = this;
    const { journals, reader } = this.service;
    const { backend } = this.target;
    const now = journals.latestInstantOf(backend);
    const upTo = Math.min(since.shownAt, now) + CLOCK_SKEW_MS;
    // The last tick's result is used first, which is cheap for a thousand watches that move here
    // together. Only if the backend did not respond then is it checked whether it does now.
    const isBehind = () =>
      watched.covered.readUpTo < upTo &&
      (watched.wasReachable ||
        journals.isReachable(backend) ||
        reader.readUpToOfKnown(backend) < upTo);
    for (let ms = 0; ms < CATCH_UP_MAX_MS && isBehind(); ms += CATCH_UP_EVERY_MS) {
      if (signal.aborted || this.isEnding) break;
      await new Promise((resolve) => setTimeout(resolve, CATCH_UP_EVERY_MS));
    }
    return !isBehind();
  }

  /**
   * Begins after a position, or with the present states.
   *
   * @param since null: without a position
   */
  begin(since: WatchPosition | null): void {
    if (since === null) {
      this.startOver(false);
      return;
    }
    const version = this.ownVersion(since);
    const changes = this.changesAfter(since, version);
    if (changes === null) {
      this.startOver(true);
      return;
    }
    const { readUpTo, after } = since;
    const [first] = changes;
    if (after !== null) {
      const before = first ? first.version - 1 : this.now().version;
      this.snapshot = { version: version ?? before, readUpTo, after };
    }
    const { names, prefix } = this.target;
    const watched = names && new Set(names);
    for (const { name } of changes) {
      if (watched ? watched.has(name) : name.startsWith(prefix)) this.pending.add(name);
    }
    const hasTurned = version !== null && version < this.watched.turnedAt;
    // A lock without a record is in no journal unless one of its watches was open at that moment.
    if (hasTurned || this.hasQuietTurned(since, version)) {
      for (const name of names ?? []) this.pending.add(name);
    }
    if (hasTurned && !names && this.watched.wasReachable) this.startOver(true);
  }

  /** Starts over: the next answers are the present states. */
  beginAgain(): void {
    this.startOver(true);
    this.wakeUp();
  }

  /**
   * The changes after a position; null if not all are known, or the target differs.
   *
   * @param version as of `ownVersion`
   */
  private changesAfter(since: WatchPosition, version: number | null): LockChange[] | null {
    const { journal } = this.watched;
    const { key, names } = this.target;
    if (since.target !== key) return null;
    if (version === null) {
      return this.canResume(since) ? journal.sinceInstant(since.readUpTo - CLOCK_SKEW_MS) : null;
    }
    // It was not given by this process: that has never answered ahead of its own version.
    if (version > this.now().version) return null;
    return names ? journal.sinceOf(names, version) : journal.since(version);
  }

  /** The version of a position that this process gave; null: another process gave it. */
  private ownVersion({ process, sealedVersion }: WatchPosition): number | null {
    const { processId, seal } = this.service;
    return process === processId ? seal.open(sealedVersion) : null;
  }

  /** Whether locks without a record may have been answered as delayed and no longer are. */
  private hasQuietTurned(since: WatchPosition, version: number | null): boolean {
    if (version !== null) return version < this.watched.quietTurnedAt;
    const { journals } = this.service;
    const { backend } = this.target;
    const from = journals.grantsFrom(backend);
    return from > 0 && since.readUpTo - CLOCK_SKEW_MS <= from && !journals.isQuiet(backend);
  }

  /** Whether changes since a position of another process can be found by their instants. */
  private canResume({ readUpTo }: WatchPosition): boolean {
    const { journals } = this.service;
    const { backend } = this.target;
    // This process may have read some lock before the position.
    if (!journals.isReachable(backend)) return false;
    // Otherwise the clock was set back: later changes may have earlier instants.
    return readUpTo - CLOCK_SKEW_MS <= journals.latestInstantOf(backend);
  }

  /**
   * Notes that a lock changed.
   *
   * @returns whether it is new to this watch
   */
  note(name: string, version: number): boolean {
    if (version <= this.begun.version) return false;
    if (this.pending.size >= PENDING_MAX) this.startOver(true);
    else this.pending.add(name);
    return true;
  }

  wake(): void {
    this.wakeUp();
  }

  /** From now on every answer is immediate. */
  end(): void {
    this.isEnding = true;
    this.wakeUp();
  }

  /**
   * The next answer: immediate if there is something to report, else after a change or `waitMs`.
   *
   * @throws LockyardError `BACKEND_DOWN` before the first reading of the backend
   */
  async next({ waitMs, signal, onWaiting, isPolled }: WatchPace): Promise<WatchAnswer> {
    onWaiting();
    if (!this.hasNews && waitMs > 0) await this.news(waitMs, signal);
    const isLarge = this.snapshot !== null || this.pending.size > SMALL_LOCKS;
    return this.service.turns.run(
      (slice) => (this.snapshot ? this.nextPage(this.snapshot, slice) : this.nextChanges()),
      { isLarge, extraMs: isPolled ? REQUEST_MS : 0 },
    );
  }

  private get hasNews(): boolean {
    return this.snapshot !== null || this.pending.size > 0;
  }

  private news(waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        this.wakeUp = () => {};
        resolve();
      };
      const timer = setTimeout(finish, waitMs);
      this.wakeUp = finish;
      signal.addEventListener('abort', finish, { once: true });
      if (signal.aborted || this.isEnding) finish();
    });
  }

  private startOver(isReset: boolean): void {
    this.snapshot = { ...this.now(), after: null };
    this.pending.clear();
    this.isReset = isReset;
  }

  private async nextPage(snapshot: Snapshot, slice: TimeSlice): Promise<WatchAnswer> {
    const { isReset: reset } = this;
    const { locks, next } = await this.service.reader.page(this.target, snapshot.after, slice);
    // The watch may have started over meanwhile.
    if (this.snapshot === snapshot) {
      this.snapshot = next === null ? null : { ...snapshot, after: next };
      this.isReset = false;
    }
    return { locks, position: this.position(snapshot, next), reset, more: next !== null };
  }

  private nextChanges(): WatchAnswer {
    const { journal } = this.watched;
    const versions = [...this.pending].map((name) => ({
      name,
      version: journal.lastOf(name)?.version ?? 0,
    }));
    const isWhole = versions.length <= WATCH_PAGE_MAX;
    if (!isWhole) versions.sort((a, b) => a.version - b.version);
    const page = versions.slice(0, WATCH_PAGE_MAX);
    for (const { name } of page) this.pending.delete(name);
    const locks = this.service.reader.states(
      this.target,
      page.map(({ name }) => name),
    );
    // A lock of the page may have changed again, after others whose changes were not received yet.
    const version = Math.min(page.at(-1)?.version ?? 0, this.covered.version);
    const covered = isWhole ? this.covered : { version, readUpTo: 0 };
    return { locks, position: this.position(covered, null), reset: false, more: !isWhole };
  }

  private position({ version, readUpTo }: Covered, after: string | null): string {
    const { target } = this;
    const { processId: process, journals, seal } = this.service;
    const shownAt = journals.latestInstantOf(target.backend);
    const upTo = journals.isReachable(target.backend) ? readUpTo : 0;
    return positionText({
      process,
      sealedVersion: seal.seal(version),
      readUpTo: upTo,
      shownAt,
      target: target.key,
      after,
    });
  }

  /** Up to where the watch has been notified. */
  private get covered(): Covered {
    const { covered } = this.watched;
    return covered.version >= this.begun.version ? covered : this.begun;
  }

  private now(): Covered {
    return {
      version: this.service.journals.version,
      readUpTo: this.service.reader.readUpTo(this.target.backend),
    };
  }
}
