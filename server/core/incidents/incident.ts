import type { LockStatus } from '../../contract/console/console-terms';
import type { IncidentFacts, IncidentRow, ProvenDeath } from '../../contract/console/past/incident';
import type { HoldBar, WaitBar } from '../../contract/console/past/lock-timeline';
import type { OrphanReason } from '../status/holder-liveness';
import { isWorse } from '../status/worse-status';
import { CLOCK_ERROR_MS } from '../timing';
import { blockingAt } from './blocking-at';

/** A lock with a longer total blocking time has an incident, whatever its status. */
const INCIDENT_BLOCKING_MS = 30_000;

/** An incident ends once nothing has been wrong for this long. */
export const INCIDENT_QUIET_MS = 30_000;

/** After this long without a reading, an incident continues only if its hold still exists. */
const INCIDENT_GAP_MS = 5 * 60_000;

const ACTORS_MAX = 20;
const DEATHS_MAX = 20;

/** One reading of one lock. Instants are its backend's clock. */
export interface IncidentReading extends Omit<IncidentFacts, 'deaths'> {
  at: number;
  /** The same instant on a clock that is never set; absent: it is unknown. */
  monotonicMs?: number;
  status: LockStatus;
  /** Whether it is in the tier *act now*. */
  isActNow: boolean;
  /** Since when it is in that tier; null: unknown. */
  since: number | null;
  waiters: number;
  /** See `IncidentRow`. */
  blockingMs: number;
  /** Operators whose actions the lock's state shows. */
  actors: string[];
  /** The tokens of all holds of the lock; null: unknown. */
  held: readonly number[] | null;
  /** The last hold that ended; null: none is known. */
  ended: { token: number; at: number } | null;
  /** Set while the lock is orphaned. */
  orphaned?: OrphanReason;
}

/** An incident as it is continued from one reading to the next. */
export interface Incident
  extends Pick<
    IncidentRow,
    | 'status'
    | 'beganAt'
    | 'clearedAt'
    | 'endedAt'
    | 'readAt'
    | 'waiterMs'
    | 'waitersMax'
    | 'blockingMaxMs'
    | 'actors'
    | 'facts'
  > {
  /** The number of waiters at the last reading. */
  waiters: number;
  /** `clearedAt` on the monotonic clock of this process; absent: only `clearedAt` is known. */
  clearedMs?: number;
}

/** Whether a lock has an incident at this reading. */
export const isIncident = ({
  isActNow,
  blockingMs,
}: Pick<IncidentReading, 'isActNow' | 'blockingMs'>): boolean =>
  isActNow || blockingMs > INCIDENT_BLOCKING_MS;

/**
 * The incident of a lock after one more reading; null: there is none. A reading that is not later
 * than the one before changes nothing, unless the clock was set back: then the incident continues
 * from there. Do not pass an incident with `endedAt` again: it has ended.
 *
 * After a long gap between two readings, such as a night without a server, a lock gets a new
 * incident: the old one ended with its last reading, unless its hold still exists.
 *
 * @param notBefore when the lock's last incident ended: the next one begins no sooner
 */
export function nextIncident(
  known: Incident | null,
  reading: IncidentReading,
  notBefore = 0,
): Incident | null {
  if (!known) return isIncident(reading) ? beginning(reading, notBefore) : null;
  const isSetBack = reading.at < known.readAt - CLOCK_ERROR_MS;
  if (reading.at <= known.readAt && !isSetBack) return known;
  if (isAfterGap(known, reading)) {
    const endedAt = Math.max(known.clearedAt ?? known.readAt, known.beganAt);
    return { ...known, clearedAt: endedAt, endedAt };
  }
  const open = isSetBack ? setBack(known, reading.at) : known;
  const updated = withEndSeen(withDeath(withTime(open, reading), reading), reading);
  if (isIncident(reading)) return { ...withWorse(updated, reading), clearedAt: null };
  const clearedAt = open.clearedAt ?? reading.at;
  const quietMs = quietFor(open, reading);
  const endedAt = quietMs >= INCIDENT_QUIET_MS ? Math.max(clearedAt, open.beganAt) : null;
  const { monotonicMs } = reading;
  const monotonic = monotonicMs === undefined ? {} : { clearedMs: monotonicMs - quietMs };
  return { ...updated, clearedAt, endedAt, ...monotonic };
}

/** For how long nothing has been wrong, in ms: a clock that was set meanwhile changes nothing. */
function quietFor(open: Incident, { at, monotonicMs }: IncidentReading): number {
  const { clearedAt, clearedMs } = open;
  if (clearedAt === null) return 0;
  const isMeasured = clearedMs !== undefined && monotonicMs !== undefined;
  return isMeasured ? monotonicMs - clearedMs : at - clearedAt;
}

/**
 * Whether a reading after a long gap no longer shows the hold of the incident. While this process
 * measures for how long nothing has been wrong, that alone decides when the incident ends.
 */
function isAfterGap(known: Incident, { at, held }: IncidentReading): boolean {
  const { readAt, clearedAt, clearedMs, facts } = known;
  const { hold } = facts;
  if (at - readAt <= INCIDENT_GAP_MS || held === null) return false;
  if (clearedAt !== null && clearedMs !== undefined) return false;
  return !hold || !held.includes(hold.token);
}

/** The incident as if its last reading had been at `at`, to which the clock was set back. */
function setBack(open: Incident, at: number): Incident {
  const { clearedAt } = open;
  return { ...open, readAt: at, clearedAt: clearedAt === null ? null : Math.min(clearedAt, at) };
}

function beginning(reading: IncidentReading, notBefore: number): Incident {
  const { at, since, waiters, blockingMs, actors, stuck, hold } = reading;
  const beganAt = Math.min(at, Math.max(since ?? at, notBefore));
  const begun: Incident = {
    status: statusOf(reading),
    beganAt,
    clearedAt: null,
    endedAt: null,
    readAt: at,
    waiters,
    waiterMs: 0,
    waitersMax: waiters,
    blockingMaxMs: blockingMs,
    actors: actors.slice(0, ACTORS_MAX),
    facts: { stuck, hold },
  };
  return withDeath(begun, reading);
}

/** Adds the first proof of each death, even while another status of the lock is worse. */
function withDeath(incident: Incident, { at, orphaned }: IncidentReading): Incident {
  const { deaths = [] } = incident.facts;
  const isKnown = !orphaned || deaths.some(({ token }) => token === orphaned.token);
  if (isKnown || deaths.length >= DEATHS_MAX) return incident;
  const { token, since, witness, evidence } = orphaned;
  const death: ProvenDeath = { token, at, since, witness, evidence };
  return { ...incident, facts: { ...incident.facts, deaths: [...deaths, death] } };
}

/** Adds the end of the hold at the first reading that no longer shows it. */
function withEndSeen(incident: Incident, { at, held, ended }: IncidentReading): Incident {
  const { hold } = incident.facts;
  if (!hold || hold.endedAt !== undefined) return incident;
  if (held === null || held.includes(hold.token)) return incident;
  const endedAt = ended?.token === hold.token ? ended.at : at;
  return { ...incident, facts: { ...incident.facts, hold: { ...hold, endedAt } } };
}

/**
 * Adds the waiting time since the last reading: the smaller number of waiters of the two readings,
 * times the gap. After a longer gap, such as a restart, it is at most what the present waiters have
 * waited.
 */
function withTime(open: Incident, { at, waiters, blockingMs, actors }: IncidentReading): Incident {
  const isQuiet = open.clearedAt !== null;
  const gapMs = at - open.readAt;
  const onBothSides = Math.min(open.waiters, waiters) * gapMs;
  const waited = gapMs > INCIDENT_QUIET_MS ? Math.min(onBothSides, blockingMs) : onBothSides;
  return {
    ...open,
    readAt: at,
    waiters,
    waiterMs: open.waiterMs + (isQuiet ? 0 : waited),
    waitersMax: Math.max(open.waitersMax, waiters),
    blockingMaxMs: Math.max(open.blockingMaxMs, blockingMs),
    actors: withActors(open.actors, actors),
  };
}

/** Takes the status and the facts of a reading that is worse than all before. */
function withWorse(open: Incident, reading: IncidentReading): Incident {
  const status = statusOf(reading);
  const { stuck, hold } = reading;
  return isWorse(status, open.status)
    ? { ...open, status, facts: { ...open.facts, stuck, hold } }
    : open;
}

const statusOf = ({ isActNow, status }: IncidentReading): LockStatus =>
  isActNow ? status : 'contended';

/** Adds names to the list, up to a limit; returns the same list if none is new. */
export function withActors(actors: string[], more: readonly string[]): string[] {
  const fresh = more.filter((name) => !actors.includes(name));
  return fresh.length === 0 ? actors : [...actors, ...new Set(fresh)].slice(0, ACTORS_MAX);
}

/** The facts with the recorded end of the hold; unchanged if none is recorded. */
export function withHoldEnd(
  facts: IncidentFacts,
  holds: readonly Pick<HoldBar, 'token' | 'to'>[],
): IncidentFacts {
  const { hold } = facts;
  const endedAt = hold && holds.find(({ token }) => token === hold.token)?.to;
  return hold && typeof endedAt === 'number' ? { ...facts, hold: { ...hold, endedAt } } : facts;
}

/**
 * An incident with the highest total blocking time of its recorded waits: readings miss the age of
 * a wait at its end. Unchanged if no wait counts, as those of standbys.
 */
export function withWorstBlocking<
  I extends Pick<Incident, 'beganAt' | 'endedAt' | 'readAt' | 'blockingMaxMs'>,
>(incident: I, waits: readonly Pick<WaitBar, 'from' | 'to'>[]): I {
  if (incident.blockingMaxMs === 0) return incident;
  const until = incident.endedAt ?? incident.readAt;
  const ends = waits.map(({ to }) => Math.min(to ?? until, until));
  const sums = ends
    .filter((at) => at >= incident.beganAt)
    .map((at) => blockingAt(waits, at, until));
  return { ...incident, blockingMaxMs: Math.max(incident.blockingMaxMs, ...sums) };
}
