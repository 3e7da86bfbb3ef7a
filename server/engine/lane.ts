import { LockyardError } from '../domain/errors';
import type { PendingCommand } from './pending-command';

/** Records in one packet at most. */
const RECORDS_MAX = 256;

/**
 * Packets under way at once. A second one sets out as soon as it has as many records as the first: few large packets
 * cost much less than many small ones.
 */
const FLUSHES_MAX = 2;

/** How long a smaller one waits for company: a packet that hangs must not hold up everybody. */
const COMPANY_MS = 20;

/** All commands that wait for one record, oldest first. */
export interface Group {
  id: string;
  commands: PendingCommand[];
}

/**
 * Commands that arrive while a flush is under way wait for the next one and share its packets. A record is in one flush
 * at a time, so its commands are decided one after another in the order in which they came.
 */
export class Lane {
  private readonly waiting = new Map<string, PendingCommand[]>();
  private readonly busy = new Set<string>();
  private flushes = 0;
  private scheduled = false;
  private patience: NodeJS.Timeout | undefined;

  /** @param flush deals with every command of the groups; if it rejects, those not answered yet are refused */
  constructor(private readonly flush: (groups: Group[]) => Promise<void>) {}

  submit(command: PendingCommand): void {
    const line = this.waiting.get(command.id);
    if (line) line.push(command);
    else this.waiting.set(command.id, [command]);
    this.schedule();
  }

  /** Commands to be decided again go before those that came later. */
  resubmit(commands: PendingCommand[]): void {
    const [first] = commands;
    if (!first) return;
    this.waiting.set(first.id, [...commands, ...(this.waiting.get(first.id) ?? [])]);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.flushes >= FLUSHES_MAX) return;
    if (this.waiting.size >= this.busy.size) this.startSoon();
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
    const groups = this.take();
    if (groups.length === 0) return;
    this.flushes += 1;
    const refuseAll = (cause: unknown) => {
      const error = new LockyardError('INTERNAL', 'A command could not be run.', { cause });
      for (const { commands } of groups) for (const pending of commands) pending.refuse(error);
    };
    void this.flush(groups)
      .catch(refuseAll)
      .finally(() => {
        this.flushes -= 1;
        for (const { id } of groups) this.busy.delete(id);
        this.schedule();
      });
    this.schedule();
  }

  private take(): Group[] {
    const groups: Group[] = [];
    for (const [id, commands] of this.waiting) {
      if (groups.length >= RECORDS_MAX) break;
      if (this.busy.has(id)) continue;
      this.waiting.delete(id);
      this.busy.add(id);
      groups.push({ id, commands });
    }
    return groups;
  }
}
