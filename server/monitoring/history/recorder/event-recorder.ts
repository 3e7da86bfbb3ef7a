import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Database } from '@/db/database';
import type { BackendHealth } from '../../../contract/console/backend-health';
import { DEFAULT_RETENTION } from '../../../core/retention';
import type { Clock } from '../../../platform/clock';
import type { MayGoOn } from '../../../platform/periodic';
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

/** How often history is read in one run; after that, the run begins no more writes of events. */
const ROUNDS_MAX = 50;

/** Where no more changes than this come between two calls, they are recorded at once. */
const FEW_CHANGES = 600;

/** How long more changes than that are collected, so that the events of a lock share rows. */
const COLLECT_MS = BUNDLE_MS;

/** With this much collected no more is read; as much again may be in a write. */
const COLLECT_CHARS_MAX = 16 * 1_024 * 1_024;

/** While a write is under way and all history was read, it is read again after this time. */
const READ_ON_EVERY_MS = 250;

/** Commits are kept this long after they were recorded, for tails that fell behind. */
const KEEP_COMMITS_MS = 60 * 60_000;

interface RecordedBackend {
  id: string;
  history: HistorySource;
  /** Absent: it shares nothing with the control database. */
  store?: Pick<RecordStore, 'isEmbedded'> | null;
  /** Knows the clock of the history. Absent: nothing does. */
  engine?: { health(): Pick<BackendHealth, 'clockOffsetMs'> };
}

/** The two writes of a recorder: each may go on while the other does. */
interface Writes {
  events: OngoingWrite;
  rollUps: OngoingWrite;
}

/**
 * Records one backend's history in the control database: each row of the history, which is one
 * commit, becomes the rows of its events (see `EventRows`), and is counted in the roll-ups. Only
 * the process that runs maintenance does this. Its position is stored, so its successor continues
 * there, and nothing that a former process still writes is kept. A commit that is read twice is
 * recorded and counted once.
 *
 * Events are written at once, unless thousands a second arrive and none are read by anyone: then
 * they are collected for up to 10 s, which saves most of the work, as a row costs more than the
 * events in it. If this process dies meanwhile nothing is lost: its successor reads the commits
 * again.
 *
 * At such rates history is also read during a write, which may take seconds. A process keeps its
 * commits in memory until they are read, within limits: to read them from the store costs more than
 * to commit them, so a recorder that has fallen behind would fall further behind.
 */
export class EventRecorder {
  private tail: HistoryTail | null = null;
  private collected: CollectedEvents;
  /**
   * On the monotonic clock: when the events of the last write were read; at first, when this was
   * created. `restart` does not reset it: a process that restarts every few seconds must write.
   */
  private writtenAt: number;
  /** On the monotonic clock: everything up to then was read. */
  private readUpTo: number | null = null;
  /** Whether a write has failed, and none succeeded since: then little is written at a time. */
  private isFailing = false;
  /** On the monotonic clock: everything up to then was recorded. */
  private caughtUpAt: number | null = null;
  /** Positions, each with when it was reached on the monotonic clock, oldest first. */
  private reached: { position: number; at: number }[] = [];
  private readonly writer: EventWriter;
  private readonly rollUps: RollUpWriter;
  /** Whether locks wait for its writes: then nothing is read meanwhile. */
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
    this.collected = new CollectedEvents(backend.id, 0);
    this.writer = new EventWriter(database, backend.id, this.isEmbedded);
    this.rollUps = new RollUpWriter(database, backend.id, clock, tally, this.isEmbedded);
  }

  /**
   * Records what has come since the last call; after a failure, from the last position that was
   * surely reached. Commits that come meanwhile wait for the next call if they are few.
   */
  async record(): Promise<void> {
    const writes = { events: new OngoingWrite(), rollUps: new OngoingWrite() };
    const ends = () => [writes.events.end(), writes.rollUps.end()];
    try {
      await this.readAndWrite(this.tail ?? (await this.begin()), writes);
      await Promise.all(ends());
    } catch (error) {
      // Neither write may go on when recording begins again.
      await Promise.allSettled(ends());
      this.tail = null;
      this.isFailing = true;
      throw error;
    }
  }

  /** Begins again at the kept cursors, as after another process did this work. */
  restart(): void {
    this.tail = null;
    this.caughtUpAt = this.clock.monotonic();
  }

  get id(): string {
    return this.backend.id;
  }

  /** For how long not everything has been recorded, in ms; null: it has never run here. */
  lagMs(): number | null {
    return this.caughtUpAt === null ? null : this.clock.monotonic() - this.caughtUpAt;
  }

  /**
   * Removes what is too old to be asked for, by the clock of this process and by that of the
   * history: one of them may have been set far ahead. Commits that were recorded long ago are
   * removed whatever their time: one that was committed while the clock was ahead would block the
   * removal of all later ones.
   */
  async prune(mayGoOn: MayGoOn = () => true): Promise<void> {
    const { history, id } = this.backend;
    const here = this.clock.now();
    const now = Math.min(here, this.historyNow() ?? here);
    await pruneRecorded(this.database, id, now, this.retention, mayGoOn);
    const pruneTo = async (position: number, before: number) => {
      while (mayGoOn() && (await history.pruneHistory(position, before)) > 0);
    };
    const done = Math.min(this.writer.position, this.rollUps.position);
    await pruneTo(done, now - KEEP_COMMITS_MS);
    const old = Math.min(done, this.reachedLongAgo(done));
    if (old > 0) await pruneTo(old, Number.MAX_SAFE_INTEGER);
  }

  /**
   * Notes that a position is reached now. Returns the one reached `KEEP_COMMITS_MS` ago; 0: none.
   */
  private reachedLongAgo(position: number): number {
    const at = this.clock.monotonic();
    this.reached.push({ position, at });
    const last = this.reached.findLastIndex((each) => at - each.at >= KEEP_COMMITS_MS);
    this.reached = this.reached.slice(Math.max(0, last));
    return last < 0 ? 0 : (this.reached[0]?.position ?? 0);
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

  /** Resolves when no write is under way, and all is read or there were many rounds. */
  private async readAndWrite(tail: HistoryTail, { events, rollUps }: Writes): Promise<void> {
    let readAt = this.writtenAt;
    let changes = 0;
    let areMany = false;
    let areRead = false;
    for (let round = 0; ; round += 1) {
      const isLast = round >= ROUNDS_MAX;
      const mayRead = !this.isMuch && !this.rollUps.isFull;
      if (mayRead) {
        readAt = this.clock.monotonic();
        changes += await this.read(tail);
      }
      const isAllRead = mayRead && tail.isAtEnd;
      areMany ||= changes > FEW_CHANGES || !mayRead;
      // Nothing is read while a share of the roll-ups is full.
      if (!isLast || events.isUnderWay) rollUps.begin(() => this.rollUps.writeDue());
      if (!isLast && !events.isUnderWay) {
        const upTo = readAt;
        areRead ||= areMany && (!this.readers || (await this.readers.areActive()));
        const areFew = isAllRead && !areMany;
        if (areFew || areRead || this.isDue(upTo)) events.begin(() => this.write(tail, upTo));
      }
      const ends = Promise.all([events.end(), rollUps.end()]);
      const readsOn = areMany && !this.isEmbedded;
      await (readsOn ? Promise.race([ends, untilNextRead(isAllRead || !mayRead)]) : ends);
      if ((isAllRead || isLast) && !events.isUnderWay && !rollUps.isUnderWay) return;
    }
  }

  /** Reads what has come, and keeps it until it is written. Answers how many changes it was. */
  private async read(tail: HistoryTail): Promise<number> {
    const { rollUps } = this;
    const startedAt = this.clock.monotonic();
    const commits = await tail.poll();
    this.noteOldest(commits);
    await this.collected.add(commits, tail.position);
    if (this.isEmbedded) await rollUps.take(commits, tail.position);
    else await rollUps.count(commits, tail.position);
    if (tail.isAtEnd) this.readUpTo = startedAt;
    return commits.reduce((sum, { changes }) => sum + changes.length, 0);
  }

  /** Until all was read once: commits that another process left unrecorded count as lag too. */
  private noteOldest(commits: readonly HistoryRow[]): void {
    if (this.readUpTo !== null) return;
    const now = this.historyNow();
    const oldest = commits.find(({ id }) => id > this.writer.position);
    if (now === null || !oldest) return;
    const since = this.clock.monotonic() - Math.max(0, now - oldest.at);
    this.caughtUpAt = Math.min(since, this.caughtUpAt ?? since);
  }

  /** The clock of the history; null: it is not known. */
  private historyNow(): number | null {
    const { engine } = this.backend;
    return engine ? this.clock.now() + engine.health().clockOffsetMs : null;
  }

  /** Whether as much is collected as may be. */
  private get isMuch(): boolean {
    return this.collected.chars >= COLLECT_CHARS_MAX;
  }

  /** Whether what is collected is as much, or as old, as it may be. */
  private isDue(readAt: number): boolean {
    return this.isMuch || this.isFailing || readAt - this.writtenAt >= COLLECT_MS;
  }

  /**
   * Writes what is collected by now. No row has events on both sides of the cursor: those after it
   * may be recorded again.
   *
   * @param readAt when the reading of the last of it began
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
  mayWait ? setTimeout(READ_ON_EVERY_MS, undefined, { ref: false }) : setImmediate();
