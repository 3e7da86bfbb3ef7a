import { setImmediate } from 'node:timers/promises';
import { type Database, databaseNow } from '@/db/database';
import { HOUR_MS } from '../../core/time-units';
import type { TimeSlice } from '../lock-list/order/time-slice';
import { rowId } from '../projection/projection-row';
import { type KnownRefusals, writtenPart } from './known-refusals';
import type { CountedMinute, RefusalCounter } from './refusal-counter';
import { type RefusalRow, readRefusals, type WrittenRow, writeRefusals } from './refusal-rows';

/** Rows that are written in one run; others follow in the next one. */
const WRITTEN_AT_ONCE = 500;

/** How many rows may wait for the control database; beyond that the oldest are dropped. */
const UNWRITTEN_MAX = 20_000;

/** Rows read at a time, as each takes long to parse, and how often they are read in one run. */
const READ_AT_ONCE = 200;
const READS_MAX = 100;

/** A write can become visible this much later than others that began after it. */
const IN_FLIGHT_MS = 5_000;

/** How far back a process reads when it starts. */
const LOOK_BACK_MS = HOUR_MS;

export interface RefusalSyncOptions {
  database: Database;
  processId: string;
  counter: Pick<RefusalCounter, 'takeChanged'>;
  known: KnownRefusals;
  /** Called for each lock whose counts have changed. @param id of its row */
  onChange: (id: string) => void;
  slice: () => TimeSlice;
}

/**
 * Merges the counts of refused attempts of all processes: this process uses its own immediately and
 * writes them to the roll-ups, and reads what other processes have written. While the control
 * database does not respond, this process uses only its own counts, and writes them later.
 */
export class RefusalSync {
  /** Rows to write, those that changed longest ago first. */
  private readonly unwritten = new Set<CountedMinute>();
  /** The instant of the database's clock from which rows are read next; null: none were read. */
  private readFrom: number | null = null;

  constructor(private readonly parts: RefusalSyncOptions) {}

  async run(): Promise<void> {
    await this.takeCounted();
    await this.write();
    await this.read();
  }

  /** Writes everything that was counted, before this process ends. */
  async flush(): Promise<void> {
    await this.takeCounted();
    while (await this.write());
  }

  private takeCounted(): Promise<void> {
    const { counter, slice } = this.parts;
    return slice().forEach(counter.takeChanged(), (counted) => this.add(counted));
  }

  /** Sums are not computed here: of all that changes in 2 s, little is written or viewed. */
  private add(counted: CountedMinute): void {
    const { processId: process, known, onChange } = this.parts;
    const { rowId: id, minute, attempts } = counted;
    this.unwritten.add(counted);
    const part = { process, minute, attempts, counts: () => counted.counts() };
    if (id !== null && known.put(id, part)) onChange(id);
    // Only at the limit: finding the first entry of a set skips all that were deleted before it.
    if (this.unwritten.size <= UNWRITTEN_MAX) return;
    const [oldest] = this.unwritten;
    if (oldest) this.unwritten.delete(oldest);
  }

  /** False: there is nothing to write. */
  private async write(): Promise<boolean> {
    const { database, processId: process } = this.parts;
    const due: CountedMinute[] = [];
    for (const counted of this.unwritten) if (due.push(counted) === WRITTEN_AT_ONCE) break;
    const rows = due.flatMap((counted): RefusalRow[] => {
      const { backend, lockId, minute } = counted;
      const counts = counted.counts();
      return counts ? [{ backend, lockId, minute, process, counts }] : [];
    });
    if (rows.length === 0) return false;
    await writeRefusals(database, rows);
    // Counts that arrive meanwhile are listed as changed again.
    for (const counted of due) this.unwritten.delete(counted);
    return true;
  }

  private async read(): Promise<void> {
    const { database, processId, slice } = this.parts;
    const now = await databaseNow(database);
    let since = this.readFrom ?? now - LOOK_BACK_MS - IN_FLIGHT_MS;
    let limit = READ_AT_ONCE;
    for (let i = 0; i < READS_MAX; i += 1) {
      const rows = await readRefusals(database, processId, since, limit);
      const last = rows.at(-1)?.writtenAt ?? since;
      const isEnd = rows.length < limit;
      // Rows with the time of the last one may be incomplete, so they are left for the next read.
      const whole = isEnd ? rows : rows.filter(({ writtenAt }) => writtenAt < last);
      await slice().forEach(whole, (row) => this.learn(row));
      // Advances even if only this process writes: a search has to skip its rows.
      this.readFrom = isEnd ? now - IN_FLIGHT_MS : last;
      if (isEnd) return;
      // All rows have the same time, so they must be read together.
      if (last === since) limit *= 2;
      since = last;
      await setImmediate();
    }
  }

  private learn({ backend, lockId, process, minute, counts }: WrittenRow): void {
    const id = rowId(backend, lockId);
    const part = writtenPart({ process, minute, counts });
    if (this.parts.known.put(id, part)) this.parts.onChange(id);
  }
}
