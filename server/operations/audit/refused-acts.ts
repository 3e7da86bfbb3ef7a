import { eq } from 'drizzle-orm';
import type { Database } from '@/db/database';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import { SerialQueue } from '../../platform/serial-queue';
import type { ControlContext } from '../operation-context';
import type { AuditActor } from './audit-actor';
import { writeRefusal } from './audit-log';
import type { AuditedAct } from './audited-act';

/** How long a count can be known to this process only. */
const WRITE_AFTER_MS = 1_000;

/** How many further subjects, and how many further addresses, one entry lists at most. */
const NAMED_MAX = 20;

/** Attempts of one user at one kind of act, in one entry of the audit log. */
interface Refused {
  intent: Promise<string>;
  openedAt: number;
  message: string;
  count: number;
  lastAt: number;
  /** What the acts were about, and from which addresses they came, in the order of the attempts. */
  subjects: Set<string>;
  addresses: Set<string>;
}

/**
 * Records refused acts. For a while those of one user and kind share one entry: the first is
 * written immediately, further ones as its count, at most a second later. So a flood of them cannot
 * fill the audit log. Each process has its own entries; a process that is killed loses the count of
 * its last second.
 */
export class RefusedActs {
  private readonly open = new Map<string, Refused>();
  /** Entries with a count that is not written yet. */
  private readonly unwritten = new Set<Refused>();
  private timer: NodeJS.Timeout | undefined;
  private readonly writes = new SerialQueue();
  /** The write that is to begin once the one before it has ended; null: there is none. */
  private nextWrite: Promise<void> | null = null;

  /** @param entryMs for how long an entry counts; 0: every refusal has its own */
  constructor(
    private readonly from: { database: Database; clock: Clock; log: Log },
    private readonly entryMs: number,
  ) {}

  /** Records a refusal, or counts it. Throws `BACKEND_DOWN` if its entry cannot be written. */
  async record(ctx: ControlContext, who: AuditActor, what: AuditedAct, why: string): Promise<void> {
    const now = this.from.clock.monotonic();
    this.forgetOld(now);
    const key = `${who.kind}\0${who.name}\0${what.act}`;
    const subject =
      what.namespace === undefined ? what.subject : `${what.namespace}/${what.subject}`;
    const known = this.open.get(key);
    if (known) {
      await known.intent;
      this.count(known, subject, ctx.address);
      return;
    }
    const intent = writeRefusal(ctx, who, what, why);
    if (this.entryMs > 0) {
      const lastAt = this.from.clock.now();
      const lists = { subjects: new Set([subject]), addresses: new Set([ctx.address]) };
      this.open.set(key, { intent, openedAt: now, message: why, count: 1, lastAt, ...lists });
      intent.catch(() => this.open.delete(key));
    }
    await intent;
  }

  /**
   * Writes every changed count, after what is being written: over two connections a lower count
   * could overtake a higher one. Never rejects: what could not be written is retried later.
   */
  write(): Promise<void> {
    this.nextWrite ??= this.writes.run(() => {
      this.nextWrite = null;
      return this.writeCounts();
    });
    return this.nextWrite;
  }

  private async writeCounts(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const refused of [...this.unwritten]) {
      this.unwritten.delete(refused);
      try {
        await this.writeCount(refused);
      } catch (err) {
        this.from.log.warn({ err }, 'could not write the count of refused actions; retrying');
        this.unwritten.add(refused);
        this.writeSoon();
        return;
      }
    }
  }

  private count(refused: Refused, subject: string, address: string): void {
    refused.count += 1;
    refused.lastAt = this.from.clock.now();
    if (refused.subjects.size <= NAMED_MAX) refused.subjects.add(subject);
    if (refused.addresses.size <= NAMED_MAX) refused.addresses.add(address);
    this.unwritten.add(refused);
    this.writeSoon();
  }

  private writeSoon(): void {
    this.timer ??= setTimeout(() => void this.write(), WRITE_AFTER_MS).unref();
  }

  private async writeCount(refused: Refused): Promise<void> {
    const { message, count, lastAt } = refused;
    const [, ...alsoTried] = refused.subjects;
    const [, ...alsoFrom] = refused.addresses;
    const result = {
      message,
      count,
      lastAt,
      ...(alsoTried.length > 0 && { alsoTried }),
      ...(alsoFrom.length > 0 && { alsoFrom }),
    };
    const { db, tables } = this.from.database;
    await db
      .update(tables.audit)
      .set({ result: JSON.stringify(result), closedAt: lastAt })
      .where(eq(tables.audit.intent, await refused.intent));
  }

  /** Forgets entries that are too old; `open` is in the order in which they were opened. */
  private forgetOld(now: number): void {
    for (const [key, { openedAt }] of this.open) {
      if (now - openedAt < this.entryMs) return;
      this.open.delete(key);
    }
  }
}
