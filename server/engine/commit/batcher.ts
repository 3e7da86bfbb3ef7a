import { LockyardError } from '../../contract/errors';
import { BATCH_COMPANY_MS } from '../../core/timing';
import type { RecordKey, RecordStore } from '../../storage/record-store';
import type { PendingCommand } from '../pending-command';
import type { Committer } from './committer';

/** Records in one packet at most. */
const RECORDS_MAX = 256;

/** Packets under way at once. */
const COMMITS_MAX = 2;
const EMBEDDED_COMMITS_MAX = 16;

/**
 * How many records must wait before a second packet is sent beside the first: as many as that has,
 * since few large packets cost much less than many small ones; but no more than nearly fill one,
 * and no fewer than make up for what a packet costs by itself.
 */
const NEARLY_FULL = 192;
const SECOND_MIN = 32;

/** Fewer records than this are never split into two packets: it would not pay. */
const SPLIT_MIN = 16;

/** Multi-locks worked on at once; those still waiting block no record. */
const MULTI_LOCKS_MAX = 2;

/** For records that share no packet: how many of their packets are under way at once. */
const ALONE_COMMITS_MAX = 2;

/** How many of these records are noted. */
const ALONE_MAX = 1_000;

/** How many multi-locks with such a record are worked on at once: other multi-locks go on. */
const ALONE_MULTI_LOCKS_MAX = 1;

const NOTHING_RESERVED: ReadonlyMap<string, number> = new Map();

/** Work on several records together: while it runs they are in no commit. */
export interface MultiLockJob {
  ids: string[];
  /** Deals with its own failures. */
  run(): Promise<void>;
}

/** All commands that wait for one record, oldest first. */
export interface CommandGroup {
  id: string;
  commands: PendingCommand[];
}

/** The record that a group is about: no group is empty. */
export function keyOfGroup({ commands }: CommandGroup): RecordKey {
  return (commands[0] as PendingCommand).key;
}

/**
 * Commands that arrive while a commit is under way wait for the next one and share its packets. A
 * record is in one commit at a time, so its commands are decided one after another in the order in
 * which they came.
 *
 * A multi-lock waits until none of its records is in a commit. Service is in order of arrival:
 * later commands wait for it, and it waits for earlier ones. The first in the queue can always
 * begin as soon as what is under way ends.
 */
export class Batcher {
  private waiting = new Map<string, { since: number; commands: PendingCommand[] }>();
  private readonly multiLocks: (MultiLockJob & { since: number })[] = [];
  private readonly busy = new Set<string>();
  private arrivals = 0;
  private runningMultiLocks = 0;
  /** The running ones that contain a record that shares no packet. */
  private aloneMultiLocks = 0;
  private commits = 0;
  /** Records that share no packet with others, and how many of them are under way. */
  private readonly alone = new Set<string>();
  private aloneCommits = 0;
  /** Records in commits. */
  private recordsInCommits = 0;
  private scheduled = false;
  private companyTimer: NodeJS.Timeout | undefined;

  /**
   * @param committer if its promise rejects, the commands that it did not answer are refused
   * @param store where a packet costs little more than its records do, the collected commands go
   *   in two packets, so that the store works on one while this process works on the other. An
   *   embedded store only waits for the disk, so new commands are sent with each turn of the event
   *   loop
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

  submitMultiLock({ ids, run }: MultiLockJob): void {
    this.multiLocks.push({ ids, run, since: this.nextArrival() });
    this.schedule();
  }

  /** Commands to be decided again go before those that came later. */
  resubmit(commands: PendingCommand[]): void {
    const [first] = commands;
    if (!first) return;
    const queue = this.waiting.get(first.id) ?? { since: this.nextArrival(), commands: [] };
    this.waiting.set(first.id, { ...queue, commands: [...commands, ...queue.commands] });
    this.schedule();
  }

  /** These records share no packet until they are written. Those noted first are sent first. */
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
    else this.companyTimer ??= setTimeout(() => this.startSoon(), BATCH_COMPANY_MS);
  }

  /** Starts batches after the current turn of the event loop, so that a burst arrives together. */
  private startSoon(): void {
    clearTimeout(this.companyTimer);
    this.companyTimer = undefined;
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

  /** The next group that shares no packet and may be sent; null: there is none. */
  private nextAlone(reserved = NOTHING_RESERVED): CommandGroup | null {
    if (this.aloneCommits >= ALONE_COMMITS_MAX) return null;
    for (const id of this.alone) {
      const line = this.busy.has(id) ? undefined : this.waiting.get(id);
      if (line && line.since <= (reserved.get(id) ?? line.since)) {
        return { id, commands: line.commands };
      }
    }
    return null;
  }

  private commit(groups: CommandGroup[], onEnd: () => void): void {
    const refuseAll = (cause: unknown) => {
      const error = new LockyardError('INTERNAL', 'A command could not be run.', { cause });
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

  /** Starts the multi-locks that are due. Returns since when the others wait for which records. */
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
    // A rest smaller than half of this packet would not be sent beside it: then all go in one.
    return all - share < share / 2 ? RECORDS_MAX : Math.min(share, RECORDS_MAX);
  }

  private takeGroups(wanted: ReadonlyMap<string, number>): CommandGroup[] {
    const groups: CommandGroup[] = [];
    const room = this.roomInPacket();
    // The rest goes into a new map: the garbage collector keeps dead parts of a busy map for long.
    const left: typeof this.waiting = new Map();
    for (const [id, line] of this.waiting) {
      const isNext = groups.length < room && !this.busy.has(id) && !this.alone.has(id);
      if (isNext && line.since <= (wanted.get(id) ?? line.since)) {
        this.busy.add(id);
        groups.push({ id, commands: line.commands });
      } else {
        left.set(id, line);
      }
    }
    this.waiting = left;
    return groups;
  }
}
