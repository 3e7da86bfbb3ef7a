import type { Database } from '@/db/database';
import {
  INCIDENT_QUIET_MS,
  type Incident,
  type IncidentReading,
  nextIncident,
  withActors,
  withHoldEnd,
  withWorstBlocking,
} from '../../core/incidents/incident';
import { DEFAULT_RETENTION } from '../../core/retention';
import { DAY_MS } from '../../core/time-units';
import type { Clock } from '../../platform/clock';
import type { ShouldContinue } from '../../platform/periodic';
import type { LockPast } from '../history/lock-past';
import { removalInstant } from '../history/removal-instant';
import { type MonitoredBackend, publicId } from '../projection/monitored-backend';
import {
  type FoundIncident,
  findIncidents,
  type IncidentTable as LockReadings,
  quietReading,
} from './incident-readings';
import { IncidentTable, type OpenIncident } from './incident-table';

/** The most open incidents; more are not recorded until others end. */
const OPEN_MAX = 2_000;

/** How often counts that keep changing are written. */
const WRITE_EVERY_MS = 10_000;

/**
 * How soon after the last write a change of `clearedAt` is written: that an incident seems to have
 * ended, or continues after all. The time doubles with each change, since a short lease can expire
 * again and again.
 */
const WRITE_CLEARED_AFTER_MS = 3_000;

/** How many incidents are written in one transaction. */
const ROWS_AT_ONCE = 100;

/** How far back the ends of earlier incidents matter. */
const RECENT_MS = DAY_MS;

interface Parts {
  database: Database;
  /** Every lock as this process knows it. */
  table: LockReadings;
  /** Whether all of a backend has been read: only then is a missing lock known to be gone. */
  isRead: (backend: string) => boolean;
  /** Whether the present state of a backend or shard is known. */
  isFresh: (backend: MonitoredBackend) => boolean;
  backends: readonly MonitoredBackend[];
  past: Pick<LockPast, 'timeline'>;
  clock: Clock;
  /** Absent: the default. Incidents are kept as long as the events that explain them. */
  historyMs?: number;
}

/** An open incident, and how much of it is stored. */
interface Tracked {
  open: OpenIncident;
  isNew: boolean;
  /** Whether more than its counts and `clearedAt` has changed since it was written. */
  isDue: boolean;
  writtenAt: number;
  /** As it was last written; null: never. */
  written: Incident | null;
  /** How often a change of `clearedAt` was written. */
  turns: number;
}

/**
 * Records incidents: finds locks in which something is wrong, and follows each incident until it
 * ends. Only the process that runs maintenance does this. Open incidents are stored, so its
 * successor continues with them. While a backend does not respond, or has not been read for long,
 * the state of its locks is unknown, and their incidents neither end nor grow.
 */
export class IncidentRecorder {
  private readonly stored: IncidentTable;
  private tracked: Map<string, Tracked> | null = null;
  /** By lock: when its last incident ended. */
  private lastEnds = new Map<string, number>();
  /** By backend or shard: its clock minus that of this process; absent: its state is unknown. */
  private readonly offsets = new Map<string, number>();

  constructor(private readonly parts: Parts) {
    this.stored = new IncidentTable(parts.database);
  }

  /** Starts again from the stored incidents, as after another process did this work. */
  restart(): void {
    this.tracked = null;
  }

  /**
   * Takes one reading of every lock, and stores what has changed. Ending thousands of incidents
   * takes long: those not ended when this must stop are left to its successor.
   */
  async run(shouldContinue: ShouldContinue = () => true): Promise<void> {
    try {
      const tracked = this.tracked ?? (await this.load());
      const { table, clock } = this.parts;
      let room = OPEN_MAX - tracked.size;
      const isOfInterest = (id: string) => {
        if (tracked.has(id)) return true;
        room -= 1;
        return room >= 0;
      };
      this.readClocks();
      const nowOf = (backend: string) => this.nowOf(backend);
      const found = await findIncidents(table, isOfInterest, () => clock.now(), nowOf);
      this.forgetSilent();
      const wrong = new Set<string>();
      for (const each of found) {
        wrong.add(each.row.id);
        this.take(tracked, each);
      }
      for (const [id, each] of tracked) if (!wrong.has(id)) this.takeQuiet(each);
      await this.write(tracked, shouldContinue);
    } catch (error) {
      this.restart();
      throw error;
    }
  }

  async prune(shouldContinue?: ShouldContinue): Promise<void> {
    const { database, clock, historyMs = DEFAULT_RETENTION.historyMs } = this.parts;
    const now = await removalInstant(database, clock.now());
    await this.stored.prune(now - historyMs, shouldContinue);
    // Picks up incidents that a former process wrote late.
    this.restart();
  }

  private async load(): Promise<Map<string, Tracked>> {
    const { clock } = this.parts;
    const open = await this.stored.open();
    const now = clock.now();
    this.lastEnds = await this.stored.lastEnds(now - RECENT_MS);
    const instant = clock.monotonic();
    this.tracked = new Map(
      [...open].map(([id, each]) => {
        const { incident } = each;
        // It was written right after it was read: a takeover does not delay the next write.
        const writtenAt = instant - Math.max(0, now - incident.readAt);
        return [
          id,
          { open: each, isNew: false, isDue: false, writtenAt, written: incident, turns: 0 },
        ];
      }),
    );
    return this.tracked;
  }

  private take(tracked: Map<string, Tracked>, { row, reading }: FoundIncident): void {
    const known = tracked.get(row.id);
    if (known) {
      this.follow(known, reading);
      return;
    }
    const incident = nextIncident(null, reading, this.lastEnds.get(row.id));
    if (!incident) return;
    const { id, publicBackend: backend, key } = row;
    const open = { id, backend, namespace: key.namespace, name: key.name, incident };
    const unwritten = { writtenAt: Number.NEGATIVE_INFINITY, written: null, turns: 0 };
    tracked.set(id, { open, isNew: true, isDue: true, ...unwritten });
  }

  /** Follows the incident of a lock in which nothing is wrong now, if its state is known. */
  private takeQuiet(each: Tracked): void {
    const { open } = each;
    const row = this.parts.table.byId(open.id);
    const at = row ? this.nowOf(row.backend) : this.nowOfGone(open);
    if (at === null) return;
    if (row && !(row.isReadable && this.parts.table.reads.isSettled(row, at))) return;
    const reading = quietReading(row, at);
    if (row || this.storesOf(open).length > 0) {
      this.follow(each, { ...reading, monotonicMs: this.parts.clock.monotonic() });
    } else this.follow(each, { ...reading, held: null });
  }

  private follow(each: Tracked, reading: IncidentReading): void {
    const before = each.open.incident;
    const next = nextIncident(before, reading);
    if (!next || next === before) return;
    each.open = { ...each.open, incident: next };
    each.isDue ||=
      next.status !== before.status ||
      next.facts !== before.facts ||
      next.actors !== before.actors ||
      next.endedAt !== before.endedAt;
  }

  private async write(
    tracked: Map<string, Tracked>,
    shouldContinue: ShouldContinue,
  ): Promise<void> {
    const now = this.parts.clock.monotonic();
    const due = [...tracked.values()].filter((each) => isDueAt(each, now));
    let isStopped = false;
    for (let i = 0; i < due.length; i += ROWS_AT_ONCE) {
      const batch: Tracked[] = [];
      for (const each of due.slice(i, i + ROWS_AT_ONCE)) {
        isStopped ||= hasEnded(each) && !shouldContinue();
        if (hasEnded(each) && isStopped) continue;
        await this.complete(each);
        batch.push(each);
      }
      await this.stored.write(batch);
      for (const each of batch) {
        const { id, incident } = each.open;
        if (hasTurned(each)) each.turns += 1;
        Object.assign(each, { isNew: false, isDue: false, writtenAt: now, written: incident });
        if (incident.endedAt === null) continue;
        tracked.delete(id);
        this.lastEnds.set(id, incident.endedAt);
      }
    }
    // Those that were left are stored as open, with the instant at which they cleared.
    if (isStopped) this.restart();
  }

  /**
   * When an incident ends, adds what only the history shows: who acted, when the hold ended, and
   * the worst blocking between two readings.
   */
  private async complete(each: Tracked): Promise<void> {
    const { namespace, name, incident } = each.open;
    const { beganAt, endedAt, readAt, actors, facts } = incident;
    if (endedAt === null) return;
    const story = await this.parts.past.timeline({ namespace, name }, beganAt, readAt);
    const { acts, holds, waits } = story;
    const named = acts.filter(({ at }) => at <= endedAt + 1_000).map(({ by }) => by);
    const completed = { actors: withActors(actors, named), facts: withHoldEnd(facts, holds) };
    const whole = withWorstBlocking({ ...incident, ...completed }, waits);
    each.open = { ...each.open, incident: whole };
  }

  private readClocks(): void {
    this.offsets.clear();
    for (const backend of this.parts.backends) {
      if (!this.parts.isFresh(backend)) continue;
      this.offsets.set(backend.id, backend.engine.health().clockOffsetMs);
    }
  }

  /** Drops backends that became silent meanwhile: a lock not found there need not be quiet. */
  private forgetSilent(): void {
    const { backends, isFresh } = this.parts;
    for (const backend of backends) if (!isFresh(backend)) this.offsets.delete(backend.id);
  }

  /** The clock of a backend, or null if its state was unknown when the clocks were read. */
  private nowOf(id: string): number | null {
    const offsetMs = this.offsets.get(id);
    return offsetMs === undefined ? null : Math.floor(this.parts.clock.now() + offsetMs);
  }

  /** The clock of the backend of a missing lock; null: the lock may just not have been read. */
  private nowOfGone(open: OpenIncident): number | null {
    const stores = this.storesOf(open);
    // A backend that is no longer configured has no clock: its incidents end.
    if (stores.length === 0) return open.incident.readAt + INCIDENT_QUIET_MS;
    if (!this.parts.isRead(open.backend)) return null;
    const instants = stores.map(({ id }) => this.nowOf(id));
    return instants.includes(null) ? null : Math.max(...instants.map(Number));
  }

  /** The backend of a lock and its shards; none: it is no longer configured. */
  private storesOf({ backend }: OpenIncident): MonitoredBackend[] {
    return this.parts.backends.filter((one) => publicId(one) === backend);
  }
}

const hasEnded = ({ open }: Tracked) => open.incident.endedAt !== null;

/** Whether `clearedAt` has changed since the incident was written. */
const hasTurned = ({ open: { incident }, written }: Tracked) =>
  written !== null && incident.clearedAt !== written.clearedAt;

/** Whether an incident must be written. @param now the monotonic clock */
function isDueAt(each: Tracked, now: number): boolean {
  const { open, isDue, written, writtenAt, turns } = each;
  if (isDue || open.incident === written) return isDue;
  const turnedAfterMs = Math.min(WRITE_CLEARED_AFTER_MS * 2 ** turns, WRITE_EVERY_MS);
  return now - writtenAt >= (hasTurned(each) ? turnedAfterMs : WRITE_EVERY_MS);
}
