import { BATCH_LINGER_MS } from '../../core/timing';
import type { RecordKey, RecordStore } from '../../storage/record-store';
import type { PendingCommand } from '../pending-command';
import { notRun } from '../refusals';
import type { Committer } from './committer';

/** The most records in one packet. */
const RECORDS_MAX = 256;

/** The most packets under way at the same time. */
const COMMITS_MAX = 2;
const EMBEDDED_COMMITS_MAX = 16;

/**
 * How many records must wait before a second packet is sent beside the first: as many as the first
 * contains, since few large packets cost much less than many small ones; but at most enough to
 * nearly fill a packet, and at least enough to make up for the fixed cost of one.
 */
const NEARLY_FULL = 192;
const SECOND_MIN = 32;

/** Fewer records than this are never split into two packets: it would not pay off. */
const SPLIT_MIN = 16;

/** The most multi-locks that run or reserve records at the same time; others block no record. */
const MULTI_LOCKS_MAX = 2;

/** The most packets under way at the same time of records that are sent alone. */
const ALONE_COMMITS_MAX = 2;

/** The most records that are sent alone. */
const ALONE_MAX = 1_000;

/** The most multi-locks with such a record at the same time, so that others can continue. */
const ALONE_MULTI_LOCKS_MAX = 1;

const NOTHING_RESERVED: ReadonlyMap<string, number> = new Map();

/** A job on several records together, which are in no commit while it runs. */
export interface MultiLockJob {
  ids: string[];
  /** The key of the request that it concerns: an acquire and its cancel have the same. */
  request: string;
  /** Must handle its own failures. */
  run(): Promise<void>;
}

/** All commands that wait for one record, oldest first. */
export interface CommandGroup {
  id: string;
  commands: PendingCommand[];
}

/** The key of a group's record. No group is empty. */
export function keyOfGroup({ commands }: CommandGroup): RecordKey {
  return (commands[0] as PendingCommand).key;
}

/**
 * Groups commands into commits. Commands that arrive while a commit is under way wait for the next
 * one and share its packets. A record is in one commit at a time, so its commands are decided one
 * after another in order of arrival.
 *
 * A multi-lock waits until none of its records is in a commit. Service is in order of arrival:
 * later commands wait for it, and it waits for earlier ones. The first in the queue can always
 * begin as soon as the commits under way end.
 */
export class Batcher {
  private waiting = new Map<string, { since: number; commands: PendingCommand[] }>();
  private readonly multiLocks: (MultiLockJob & { since: number })[] = [];
  private readonly busy = new Set<string>();
  private arrivals = 0;
  private runningMultiLocks = 0;
  /** The number of running multi-locks with a record in `alone`. */
  private aloneMultiLocks = 0;
  private commits = 0;
  /** Records that share no packet with others. */
  private readonly alone = new Set<string>();
  private aloneCommits = 0;
  /** The number of records in commits, without those sent alone. */
  private recordsInCommits = 0;
  private scheduled = false;
  private lingerTimer: NodeJS.Timeout | undefined;

  /**
   * @param committer if its promise rejects, the commands that it did not answer are refused
   * @param store if a packet costs little more than its records, the collected commands go in two
   *   packets, so that the store works on one while this process works on the other. An embedded
   *   store only waits for the disk, so new commands are sent with each turn of the event loop
   */
  constructor(
    private readonly committer: Pick<Committer, 'commit'>,
    private readonly store: Pick<RecordStore, 'costsPerRecord' | 'isEmbedded'>,
  ) {}

  submit(command: PendingCommand): void {
    const queue = this.waiting.get(command.id);
    if (queue) queue.commands.push(command);
    else this.waiting.set(command.id, { since: this.nextArrival(), commands: [command] });
    this.schedule();
  }

  submitMultiLock(job: MultiLockJob): void {
    this.multiLocks.push({ ...job, since: this.nextArrival() });
    this.schedule();
  }

  /** Queues a job again: after those that wait, but before others that concern its request. */
  resubmitMultiLock(job: MultiLockJob): void {
    const next = this.multiLocks.findIndex(({ request }) => request === job.request);
    const place = next < 0 ? this.multiLocks.length : next;
    const since = this.multiLocks[place]?.since ?? this.nextArrival();
    this.multiLocks.splice(place, 0, { ...job, since });
    this.schedule();
  }

  /** Queues commands to be decided again, before those that arrived later. */
  resubmit(commands: PendingCommand[]): void {
    const [first] = commands;
    if (!first) return;
    const queue = this.waiting.get(first.id) ?? { since: this.nextArrival(), commands: [] };
    this.waiting.set(first.id, { ...queue, commands: [...commands, ...queue.commands] });
    this.schedule();
  }

  /** Sends these records in separate packets until they are written, in the order of the calls. */
  sendAlone(ids: string[]): void {
    for (const id of ids) {
      this.alone.delete(id);
      this.alone.add(id);
    }
    for (const id of this.alone) {
      if (this.alone.size <= ALONE_MAX) break;
      this.alone.delete(id);
    }
  }

  sendWithOthers(id: string): void {
    this.alone.delete(id);
  }

  private nextArrival(): number {
    this.arrivals += 1;
    return this.arrivals;
  }

  private schedule(): void {
    if (this.scheduled) return;
    const mayStartMultiLock =
      this.multiLocks.length > 0 && this.runningMultiLocks < MULTI_LOCKS_MAX;
    if (mayStartMultiLock || this.nextAlone() !== null) this.startSoon();
    else if (this.commits >= this.commitsMax) return;
    else if (this.waiting.size >= this.enoughRecords()) this.startSoon();
    else this.lingerTimer ??= setTimeout(() => this.startSoon(), BATCH_LINGER_MS);
  }

  /** Starts batches after this turn of the event loop, so that a burst is committed together. */
  private startSoon(): void {
    clearTimeout(this.lingerTimer);
    this.lingerTimer = undefined;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.startBatches();
    });
  }

  private startBatches(): void {
    const reserved = this.startMultiLocks();
    this.startAlone(reserved);
    if (this.commits >= this.commitsMax) return;
    const groups = this.takeGroups(reserved);
    if (groups.length === 0) return;
    this.commits += 1;
    this.recordsInCommits += groups.length;
    this.commit(groups, () => {
      this.commits -= 1;
      this.recordsInCommits -= groups.length;
    });
    this.schedule();
  }

  private startAlone(reserved: ReadonlyMap<string, number>): void {
    for (;;) {
      const group = this.nextAlone(reserved);
      if (!group) return;
      this.waiting.delete(group.id);
      this.busy.add(group.id);
      this.aloneCommits += 1;
      this.commit([group], () => {
        this.aloneCommits -= 1;
      });
    }
  }

  /** The next group to send alone; null: there is none that may be sent now. */
  private nextAlone(reserved = NOTHING_RESERVED): CommandGroup | null {
    if (this.aloneCommits >= ALONE_COMMITS_MAX) return null;
    for (const id of this.alone) {
      const queue = this.busy.has(id) ? undefined : this.waiting.get(id);
      if (queue && queue.since <= (reserved.get(id) ?? queue.since)) {
        return { id, commands: queue.commands };
      }
    }
    return null;
  }

  private commit(groups: CommandGroup[], onEnd: () => void): void {
    const refuseAll = (cause: unknown) => {
      const error = notRun(cause);
      for (const { commands } of groups) for (const pending of commands) pending.refuse(error);
    };
    void this.committer
      .commit(groups)
      .catch(refuseAll)
      .finally(() => {
        onEnd();
        for (const { id } of groups) this.busy.delete(id);
        this.schedule();
      });
  }

  /**
   * Starts the multi-locks whose turn has come. Returns the records for which others wait, and the
   * arrival of the first of these: commands that arrived later wait for it.
   */
  private startMultiLocks(): Map<string, number> {
    const reserved = new Map<string, number>();
    let room = MULTI_LOCKS_MAX - this.runningMultiLocks;
    if (room === 0) return reserved;
    let roomForAlone = ALONE_MULTI_LOCKS_MAX - this.aloneMultiLocks;
    for (const job of [...this.multiLocks]) {
      if (room === 0) break;
      const isAlone = job.ids.some((id) => this.alone.has(id));
      if (isAlone && roomForAlone === 0) continue;
      room -= 1;
      if (isAlone) roomForAlone -= 1;
      const isBlocking = (id: string) =>
        this.busy.has(id) ||
        reserved.has(id) ||
        (this.waiting.get(id)?.since ?? job.since) < job.since;
      if (!job.ids.some(isBlocking)) this.startMultiLock(job, isAlone);
      else for (const id of job.ids) reserved.set(id, reserved.get(id) ?? job.since);
    }
    return reserved;
  }

  private startMultiLock(job: MultiLockJob & { since: number }, isAlone: boolean): void {
    this.multiLocks.splice(this.multiLocks.indexOf(job), 1);
    this.runningMultiLocks += 1;
    if (isAlone) this.aloneMultiLocks += 1;
    for (const id of job.ids) this.busy.add(id);
    void job.run().finally(() => {
      this.runningMultiLocks -= 1;
      if (isAlone) this.aloneMultiLocks -= 1;
      for (const id of job.ids) this.busy.delete(id);
      this.schedule();
    });
  }

  private get commitsMax(): number {
    return this.store.isEmbedded ? EMBEDDED_COMMITS_MAX : COMMITS_MAX;
  }

  /** How many records must wait before another packet is sent beside those under way. */
  private enoughRecords(): number {
    if (this.store.isEmbedded || this.commits === 0) return 0;
    return this.store.costsPerRecord
      ? this.recordsInCommits / 2
      : Math.min(Math.max(this.recordsInCommits, SECOND_MIN), NEARLY_FULL);
  }

  private roomInPacket(): number {
    if (!this.store.costsPerRecord) return RECORDS_MAX;
    const all = this.waiting.size + this.recordsInCommits;
    const share = Math.max(Math.ceil(all / COMMITS_MAX), SPLIT_MIN);
    // The rest is sent beside this packet only if it is at least half as large: else all go in one.
    return all - share < share / 2 ? RECORDS_MAX : Math.min(share, RECORDS_MAX);
  }

  private takeGroups(reserved: ReadonlyMap<string, number>): CommandGroup[] {
    const groups: CommandGroup[] = [];
    const room = this.roomInPacket();
    // A new map for the rest: the garbage collector keeps dead parts of a busy map for a long time.
    const left: typeof this.waiting = new Map();
    for (const [id, queue] of this.waiting) {
      const isNext = groups.length < room && !this.busy.has(id) && !this.alone.has(id);
      if (isNext && queue.since <= (reserved.get(id) ?? queue.since)) {
        this.busy.add(id);
        groups.push({ id, commands: queue.commands });
      } else {
        left.set(id, queue);
      }
    }
    this.waiting = left;
    return groups;
  }
}
