import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Database } from '@/db/database';
import type { BackendHealth } from '../../../contract/console/backend-health';
import { DEFAULT_RETENTION } from '../../../core/retention';
import { HOUR_MS } from '../../../core/time-units';
import type { Clock } from '../../../platform/clock';
import type { Log } from '../../../platform/log';
import type { ShouldContinue } from '../../../platform/periodic';
import type { HistoryRow, HistorySource, RecordStore } from '../../../storage/record-store';
import type { EventTally } from '../../metrics/event-tally';
import { RollUpWriter } from '../../rollups/roll-up-writer';
import { BUNDLE_MS } from '../bundled-events';
import type { EventReaders } from '../event-readers';
import { HistoryTail } from '../history-tail';
import { pruneRecorded } from '../prune-recorded';
import { CollectedEvents } from './collected-events';
import { EventWriter } from './event-writer';
import { OngoingWrite } from './ongoing-write';
import { ReachedPositions } from './reached-positions';
import { UnreadableCommits } from './unreadable-commits';

/** How often history is read in one run; after that, the run begins no more writes of events. */
const ROUNDS_MAX = 50;

/** Up to this many changes between two calls are recorded immediately. */
const FEW_CHANGES = 600;

/** How long more changes are collected, so that the events of a lock share rows. */
const COLLECT_MS = BUNDLE_MS;

/** Once this much is collected, no more is read; as much again can be in a write. */
const COLLECT_CHARS_MAX = 16 * 1_024 * 1_024;

/** While a write is under way and all history was read, it is read again after this time. */
const READ_AGAIN_MS = 250;

/** Commits are kept this long after they were recorded, for tails that fell behind. */
const KEEP_COMMITS_MS = HOUR_MS;

interface RecordedBackend {
  id: string;
  history: HistorySource;
  /** Absent: the backend shares nothing with the control database. */
  store?: Pick<RecordStore, 'isEmbedded'> | null;
  /** Gets what is unreadable; absent: it is only counted. */
  log?: Pick<Log, 'warn'>;
  /** Knows the clock of the history; absent: that clock is unknown. */
  engine?: { health(): Pick<BackendHealth, 'clockOffsetMs'> };
}

/** The two writes of a recorder, which can run at the same time. */
interface Writes {
  events: OngoingWrite;
  rollUps: OngoingWrite;
}

/**
 * Records one backend's history in the control database: each row of the history, which is one
 * commit, becomes the rows of its events (see `EventRows`), and is counted in the roll-ups. Only
 * the process that runs maintenance does this. Its position is stored, so its successor continues
 * there, and what a former process still writes is discarded. A commit that is read twice is
 * recorded and counted once, and one that is unreadable is skipped.
 *
 * Events are written immediately, unless thousands a second arrive and none are being read: then
 * they are collected for up to 10 s, which saves most of the work, as a row costs more than the
 * events in it. If this process dies meanwhile, nothing is lost: its successor reads the commits
 * again.
 *
 * At such rates history is also read during a write, which can take seconds. A process keeps its
 * commits in memory until they are read, within limits: reading them from the store costs more than
 * committing them, so a recorder that has fallen behind would fall further behind.
 */
export class EventRecorder {
  private tail: HistoryTail | null = null;
  private collected: CollectedEvents;
  /**
   * When the events of the last write were read, on the monotonic clock; at first, when this was
   * created. `restart` does not reset it: a process that restarts every few seconds must write.
   */
  private writtenAt: number;
  /** Everything up to this instant of the monotonic clock was read. */
  private readUpTo: number | null = null;
  /** Whether a write has failed, and none succeeded since: then little is written at a time. */
  private isFailing = false;
  /** Everything up to this instant of the monotonic clock was recorded. */
  private caughtUpAt: number | null = null;
  private readonly reached: ReachedPositions;
  private readonly unreadable: UnreadableCommits;
  private readonly writer: EventWriter;
  private readonly rollUps: RollUpWriter;
  /** Whether locks wait for its writes: then nothing is read during a write. */
  private readonly isEmbedded: boolean;

  /**
   * @param tally receives what this process has counted
   * @param readers absent: events are always being read
   */
  constructor(
    private readonly database: Database,
    private readonly backend: RecordedBackend,
    private readonly clock: Clock,
    tally: EventTally,
    private readonly retention = DEFAULT_RETENTION,
    private readonly readers: Pick<EventReaders, 'areActive'> | null = null,
  ) {
    this.isEmbedded = backend.store?.isEmbedded === true;
    this.writtenAt = clock.monotonic();
    this.reached = new ReachedPositions(clock);
    this.unreadable = new UnreadableCommits(backend.id, backend.log);
    this.collected = new CollectedEvents(backend.id, 0);
    this.writer = new EventWriter(database, backend.id, this.isEmbedded);
    this.rollUps = new RollUpWriter(database, backend.id, clock, tally, this.isEmbedded);
  }

  /**
   * Records what was committed since the last call; after a failed write, from the last position
   * that was definitely reached. If few commits arrive meanwhile, they wait for the next call.
   *
   * If the history cannot be read, what was read before is kept and its events are written: the
   * store may have lost it by the time it responds again.
   */
  async record(): Promise<void> {
    const writes = { events: new OngoingWrite(), rollUps: new OngoingWrite() };
    const ends = () => [writes.events.end(), writes.rollUps.end()];
    let unread: unknown;
    try {
      unread = await this.readAndWrite(this.tail ?? (await this.begin()), writes);
      await Promise.all(ends());
    } catch (error) {
      // Neither write may still run when recording begins again.
      await Promise.allSettled(ends());
      this.tail = null;
      this.isFailing = true;
      throw error;
    }
    if (unread !== null) throw unread;
  }

  /** Starts again from the stored cursors, as after another process did this work. */
  restart(): void {
    this.tail = null;
    this.caughtUpAt = this.clock.monotonic();
  }

  get id(): string {
    return this.backend.id;
  }

  /** For how long the recording has been behind, in ms; null: it has never run here. */
  lagMs(): number | null {
    return this.caughtUpAt === null ? null : this.clock.monotonic() - this.caughtUpAt;
  }

  /** How many commits were skipped in this process because they are unreadable. */
  get unreadableCommits(): number {
    return this.unreadable.count;
  }

  /**
   * Removes what is too old by the clock of this process and by that of the history: one of them
   * may have been set far ahead. Commits that were recorded long ago are removed whatever their
   * time: one that was committed while the clock was ahead would block the removal of all later
   * ones.
   */
  async prune(shouldContinue: ShouldContinue = () => true): Promise<void> {
    const { history, id } = this.backend;
    const here = this.clock.now();
    const now = Math.min(here, this.historyNow() ?? here);
    await pruneRecorded(this.database, id, now, this.retention, shouldContinue);
    const pruneTo = async (position: number, before: number) => {
      while (shouldContinue() && (await history.pruneHistory(position, before)) > 0);
    };
    const done = Math.min(this.writer.position, this.rollUps.position);
    await pruneTo(done, now - KEEP_COMMITS_MS);
    const old = Math.min(done, this.reached.note(done, KEEP_COMMITS_MS));
    if (old > 0) await pruneTo(old, Number.MAX_SAFE_INTEGER);
  }

  private async begin(): Promise<HistoryTail> {
    const { writer, rollUps, backend } = this;
    await writer.takeOver();
    this.collected = new CollectedEvents(backend.id, writer.position);
    this.readUpTo = null;
    await rollUps.begin(writer.position, writer.whileItsTurn());
    const from = Math.min(writer.position, rollUps.position);
    this.tail = new HistoryTail(backend.history, this.clock, from);
    return this.tail;
  }

  /**
   * Resolves when no write is under way, and all is read or there were `ROUNDS_MAX` rounds.
   *
   * @returns why the history could not be read; null: it could
   */
  private async readAndWrite(tail: HistoryTail, { events, rollUps }: Writes): Promise<unknown> {
    let unread: unknown = null;
    let readAt = this.writtenAt;
    let changes = 0;
    let isBusy = false;
    let hasReaders = false;
    for (let round = 0; ; round += 1) {
      const isLast = round >= ROUNDS_MAX;
      const mayRead = unread === null && !this.isFull && !this.rollUps.isFull;
      if (mayRead) {
        readAt = this.clock.monotonic();
        const commits = await tail.poll().catch((error: unknown) => {
          unread = error;
          return [];
        });
        changes += await this.take(commits, tail, readAt);
      }
      const isReadingDone = unread !== null || (mayRead && tail.isAtEnd);
      isBusy ||= changes > FEW_CHANGES || !mayRead;
      // Nothing is read while a share of the roll-ups is full.
      if (!isLast || events.isUnderWay) rollUps.begin(() => this.rollUps.writeDue());
      if (!isLast && !events.isUnderWay) {
        const upTo = readAt;
        hasReaders ||= isBusy && (!this.readers || (await this.readers.areActive()));
        const isQuiet = isReadingDone && !isBusy;
        const isToWrite = isQuiet || hasReaders || unread !== null || this.isDue(upTo);
        if (isToWrite) events.begin(() => this.write(tail, upTo));
      }
      const ends = Promise.all([events.end(), rollUps.end()]);
      const readsDuringWrites = isBusy && !this.isEmbedded;
      await (readsDuringWrites
        ? Promise.race([ends, untilNextRead(isReadingDone || !mayRead)])
        : ends);
      if ((isReadingDone || isLast) && !events.isUnderWay && !rollUps.isUnderWay) return unread;
    }
  }

  /**
   * Keeps new commits until they are written. Returns the number of changes.
   *
   * @param readAt when the read of them began
   */
  private async take(
    commits: readonly HistoryRow[],
    tail: HistoryTail,
    readAt: number,
  ): Promise<number> {
    const { rollUps } = this;
    this.noteOldest(commits);
    this.unreadable.note(commits);
    await this.collected.add(commits, tail.position);
    if (this.isEmbedded) await rollUps.take(commits, tail.position);
    else await rollUps.count(commits, tail.position);
    if (tail.isAtEnd) this.readUpTo = readAt;
    return commits.reduce((sum, { changes }) => sum + changes.length, 0);
  }

  /** Until all was read once, commits that another process left unrecorded count as lag too. */
  private noteOldest(commits: readonly HistoryRow[]): void {
    if (this.readUpTo !== null) return;
    const now = this.historyNow();
    const oldest = commits.find(
      ({ id, isUnreadable }) => id > this.writer.position && !isUnreadable,
    );
    if (now === null || !oldest) return;
    const since = this.clock.monotonic() - Math.max(0, now - oldest.at);
    this.caughtUpAt = Math.min(since, this.caughtUpAt ?? since);
  }

  /** The clock of the history; null: it is not known. */
  private historyNow(): number | null {
    const { engine } = this.backend;
    return engine ? this.clock.now() + engine.health().clockOffsetMs : null;
  }

  /** Whether the collection limit is reached. */
  private get isFull(): boolean {
    return this.collected.chars >= COLLECT_CHARS_MAX;
  }

  /** Whether what is collected must be written now. */
  private isDue(readAt: number): boolean {
    return this.isFull || this.isFailing || readAt - this.writtenAt >= COLLECT_MS;
  }

  /**
   * Writes what is collected so far. No row has events on both sides of the cursor: those after it
   * may be recorded again.
   *
   * @param readAt when the read of the newest of it began
   */
  private async write({ position }: HistoryTail, readAt: number): Promise<void> {
    const { collected, readUpTo } = this;
    const settled = { position, rows: collected.takeSettled() };
    const { aheadTo } = collected;
    const ahead = aheadTo === null ? null : { position: aheadTo, rows: collected.takeAhead() };
    await this.writer.write(settled, ahead);
    this.writtenAt = readAt;
    this.caughtUpAt = readUpTo ?? this.caughtUpAt;
    this.isFailing = false;
  }
}

const untilNextRead = (mayWait: boolean): Promise<void> =>
  mayWait ? setTimeout(READ_AGAIN_MS, undefined, { ref: false }) : setImmediate();
