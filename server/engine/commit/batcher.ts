import { LockyardError } from '../../contract/errors';
import type { RecordKey } from '../../storage/record-store';
import type { PendingCommand } from '../pending-command';

/** Records in one packet at most. */
const RECORDS_MAX = 256;

/** Packets under way at once. */
const FLUSHES_MAX = 2;

/**
 * How many records must wait for a second packet to set out beside the first: as many as that has,
 * since few large packets cost much less than many small ones; but no more than nearly fill one.
 */
const NEARLY_FULL = 192;

/** With so few records at hand it never pays to send them in two packets. */
const SPLIT_MIN = 16;

/** How long a smaller one waits for company: a packet that hangs must not hold up everybody. */
const COMPANY_MS = 20;

/** Multi-locks worked on at once; those still waiting block no record. */
const SETS_MAX = 2;

/** Work on several records together: while it runs they are in no flush. */
export interface SetJob {
  ids: string[];
  /** Deals with its own failures. */
  run(): Promise<void>;
}

/** All commands that wait for one record, oldest first. */
export interface Group {
  id: string;
  commands: PendingCommand[];
}

/** The record that a group is about: no group is empty. */
export function keyOf({ commands }: Group): RecordKey {
  return (commands[0] as PendingCommand).key;
}

/**
 * Commands that arrive while a flush is under way wait for the next one and share its packets. A
 * record is in one flush at a time, so its commands are decided one after another in the order in
 * which they came.
 *
 * A multi-lock waits until none of its records is in a flush. Service is in order of arrival: later
 * commands wait for it, and it waits for earlier ones. The first in the queue can always begin as
 * soon as what is under way ends.
 */
export class Lane {
  private waiting = new Map<string, { since: number; commands: PendingCommand[] }>();
  private readonly sets: (SetJob & { since: number })[] = [];
  private readonly busy = new Set<string>();
  private arrivals = 0;
  private runningSets = 0;
  private flushes = 0;
  /** Records in flushes. */
  private flushing = 0;
  private scheduled = false;
  private patience: NodeJS.Timeout | undefined;

  /**
   * @param flush deals with every command of the groups; if it rejects, those not answered yet are refused
   * @param paysByRecord whether a packet costs its store what its records cost and little more: then what is at hand goes
   *   in two packets, so that the store works on one while this process works on the other
   */
  constructor(
    private readonly flush: (groups: Group[]) => Promise<void>,
    private readonly paysByRecord: () => boolean = () => false,
  ) {}

  submit(command: PendingCommand): void {
    const line = this.waiting.get(command.id);
    if (line) line.commands.push(command);
    else this.waiting.set(command.id, { since: this.arrived(), commands: [command] });
    this.schedule();
  }

  submitSet({ ids, run }: SetJob): void {
    this.sets.push({ ids, run, since: this.arrived() });
    this.schedule();
  }

  /** Commands to be decided again go before those that came later. */
  resubmit(commands: PendingCommand[]): void {
    const [first] = commands;
    if (!first) return;
    const line = this.waiting.get(first.id) ?? { since: this.arrived(), commands: [] };
    this.waiting.set(first.id, { ...line, commands: [...commands, ...line.commands] });
    this.schedule();
  }

  private arrived(): number {
    this.arrivals += 1;
    return this.arrivals;
  }

  private schedule(): void {
    if (this.scheduled) return;
    const mayBeSetsTurn = this.sets.length > 0 && this.runningSets < SETS_MAX;
    if (mayBeSetsTurn) this.startSoon();
    else if (this.flushes >= FLUSHES_MAX) return;
    else if (this.waiting.size >= this.enough()) this.startSoon();
    else this.patience ??= setTimeout(() => this.startSoon(), COMPANY_MS);
  }

  /** After the current turn of the event loop, so that a burst arrives as one group. */
  private startSoon(): void {
    clearTimeout(this.patience);
    this.patience = undefined;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.start();
    });
  }

  private start(): void {
    const wanted = this.startSets();
    if (this.flushes >= FLUSHES_MAX) return;
    const groups = this.take(wanted);
    if (groups.length === 0) return;
    this.flushes += 1;
    this.flushing += groups.length;
    const refuseAll = (cause: unknown) => {
      const error = new LockyardError('INTERNAL', 'A command could not be run.', { cause });
      for (const { commands } of groups) for (const pending of commands) pending.refuse(error);
    };
    void this.flush(groups)
      .catch(refuseAll)
      .finally(() => {
        this.flushes -= 1;
        this.flushing -= groups.length;
        for (const { id } of groups) this.busy.delete(id);
        this.schedule();
      });
    this.schedule();
  }

  /**
   * Starts the sets whose turn it is. Answers the records that others must wait for, and since
   * when.
   */
  private startSets(): Map<string, number> {
    const wanted = new Map<string, number>();
    for (const set of this.sets.slice(0, SETS_MAX - this.runningSets)) {
      const isInTheWay = (id: string) =>
        this.busy.has(id) ||
        wanted.has(id) ||
        (this.waiting.get(id)?.since ?? set.since) < set.since;
      if (!set.ids.some(isInTheWay)) this.startSet(set);
      else for (const id of set.ids) wanted.set(id, wanted.get(id) ?? set.since);
    }
    return wanted;
  }

  private startSet(set: SetJob & { since: number }): void {
    this.sets.splice(this.sets.indexOf(set), 1);
    this.runningSets += 1;
    for (const id of set.ids) this.busy.add(id);
    void set.run().finally(() => {
      this.runningSets -= 1;
      for (const id of set.ids) this.busy.delete(id);
      this.schedule();
    });
  }

  /** How many records must wait for another packet to set out beside those under way. */
  private enough(): number {
    return this.paysByRecord() ? this.flushing / 2 : Math.min(this.flushing, NEARLY_FULL);
  }

  private roomInPacket(): number {
    if (!this.paysByRecord()) return RECORDS_MAX;
    const share = Math.ceil((this.waiting.size + this.flushing) / FLUSHES_MAX);
    return Math.min(Math.max(share, SPLIT_MIN), RECORDS_MAX);
  }

  private take(wanted: ReadonlyMap<string, number>): Group[] {
    const groups: Group[] = [];
    const room = this.roomInPacket();
    // A new map of what is left: of one that so many pass through, the garbage collector keeps dead
    // parts for long.
    const left: typeof this.waiting = new Map();
    for (const [id, line] of this.waiting) {
      const isNext = groups.length < room && !this.busy.has(id);
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
