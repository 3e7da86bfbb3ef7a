import { setImmediate } from 'node:timers/promises';
import type { Database } from '@/db/database';
import type { CounterListInput } from '../../contract/console/counter-inputs';
import type { CounterCourse, CounterCourses, CounterRow } from '../../contract/console/counter-row';
import { COURSE_MS, counterCourse } from '../../core/statistics/counter-course';
import type { CounterMinute } from '../../core/statistics/counter-minute';
import { minuteOf } from '../../core/statistics/minute-rollup';
import type { Clock } from '../../platform/clock';
import { recordId } from '../../storage/record-id';
import type { CounterProjection } from '../projection/counter-projection';
import { SharedReadings } from '../shared-readings';
import { readCounterMinutes } from './counter-minute-rows';

/** For how long one reading is shared by all viewers. */
const FRESH_MS = 10_000;

/** Counters read at a time, some hundred rows: on SQLite a read blocks this process. */
const COUNTERS_AT_ONCE = 10;

/** How the values of counters changed over the last hour, from the roll-ups. */
export class CounterHistory {
  /** By request. */
  private readonly readings: SharedReadings<CounterCourses>;

  /**
   * @param storeIdsOf where a backend's roll-ups are stored: its own id, or those of its shards
   * @param offsetOf the clock of a counter's own store minus that of this process, in ms
   */
  constructor(
    private readonly database: Database,
    private readonly counters: Pick<CounterProjection, 'livePage' | 'row'>,
    private readonly storeIdsOf: (backend: string) => string[],
    private readonly offsetOf: (row: CounterRow) => number,
    private readonly clock: Clock,
  ) {
    this.readings = new SharedReadings(clock, FRESH_MS);
  }

  /** The courses of the counters that the list shows; those without one did not change. */
  ofList(input: CounterListInput): Promise<CounterCourses> {
    return this.readings.get(
      `list ${input.limit} ${input.search?.toLowerCase() ?? ''}`,
      async () => {
        const { rows } = await this.counters.livePage(input);
        return this.read(rows);
      },
    );
  }

  /** The course of one counter; null if it did not change, or is not known. */
  async ofOne(namespace: string, name: string): Promise<CounterCourse | null> {
    const row = this.counters.row(namespace, name);
    if (!row) return null;
    const courses = await this.readings.get(`one ${row.id}`, () => this.read([row]));
    return courses[row.id] ?? null;
  }

  private async read(rows: readonly CounterRow[]): Promise<CounterCourses> {
    const courses: CounterCourses = {};
    for (const [backend, own] of byBackend(rows)) {
      for (let i = 0; i < own.length; i += COUNTERS_AT_ONCE) {
        // Each shard has a clock of its own.
        const batch = own.slice(i, i + COUNTERS_AT_ONCE).map((row) => {
          return { row, now: this.clock.now() + this.offsetOf(row) };
        });
        const minutes = await this.minutesOf(backend, batch);
        for (const { row, now } of batch) {
          const counted = minutes.get(idOf(row));
          if (counted) courses[row.id] = counterCourse(counted, row.createdAt, now);
        }
        await setImmediate();
      }
    }
    return courses;
  }

  /** Reads all shards of a backend: a reshard may have moved a counter. */
  private async minutesOf(backend: string, batch: readonly { row: CounterRow; now: number }[]) {
    const since = minuteOf({ at: Math.min(...batch.map(({ now }) => now)) - COURSE_MS });
    const found = new Map<string, CounterMinute[]>();
    for (const storeId of this.storeIdsOf(backend)) {
      const ids = batch.map(({ row }) => idOf(row));
      const read = await readCounterMinutes(this.database.raw.ask, storeId, ids, since);
      for (const [id, minutes] of read) found.set(id, [...(found.get(id) ?? []), ...minutes]);
    }
    return found;
  }
}

const idOf = ({ namespace, name }: CounterRow) => recordId({ namespace, name, kind: 'counter' });

function byBackend(rows: readonly CounterRow[]): Map<string, CounterRow[]> {
  const groups = new Map<string, CounterRow[]>();
  for (const row of rows) {
    const group = groups.get(row.backend) ?? [];
    if (group.length === 0) groups.set(row.backend, group);
    group.push(row);
  }
  return groups;
}
