import type { Database } from '@/db/database';
import type { LockListInput } from '../../contract/console/console-inputs';
import type { LockDetail, LockPage } from '../../contract/console/lock-row';
import type { ProvenDeath } from '../../contract/console/past/incident';
import type { PastMark } from '../../contract/console/past/past-mark';
import type { PastMinute } from '../../contract/console/past/past-minute';
import type { HoldersPage, ProcessDetail } from '../../contract/console/waits/holder-rows';
import type { WaitGraph } from '../../contract/console/waits/wait-graph';
import { LockyardError } from '../../contract/errors';
import { inspectRecord } from '../../core/lock/lock-answers';
import { liveHolds } from '../../core/lock/lock-record';
import { type Clock, processCpuMs } from '../../platform/clock';
import { SerialQueue } from '../../platform/serial-queue';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { IncidentTable } from '../incidents/incident-table';
import { TimeSlice } from '../lock-list/order/time-slice';
import type { LockTable } from '../lock-list/table/lock-table';
import type { KnownNamespaces, LeavingStore } from '../monitoring-options';
import type { CounterProjection } from '../projection/counter-projection';
import {
  keeperOf,
  locateStore,
  type MonitoredBackend,
  noNamespace,
  publicId,
} from '../projection/monitored-backend';
import { rowId, tracedHoldRow, waiterRows } from '../projection/projection-row';
import type { HoldBaselines } from '../rollups/hold-baselines';
import { AnswerTurns } from '../watch/answer-turns';
import { InstantCache } from './instant-cache';
import { OpenLocksReader } from './open-locks';
import { readPastBaselines } from './past-baselines';
import { PastCounters } from './past-counters';
import { PastFleet } from './past-fleet';
import { readFormerLock, readPastLock, readPastLocks } from './past-locks';
import { readPastMinute } from './past-minutes';
import { PastRange } from './past-range';
import { RecordingWatch } from './recording-watch';

/** Epochs are counted from it. */
const FIRST_EPOCH = 1;

/** How far the clock of a viewer may be ahead. */
const AHEAD_MAX_MS = 1_000;

interface PastViewOptions {
  database: Database;
  table: LockTable;
  counters: Pick<CounterProjection, 'page' | 'detail'>;
  backends: readonly MonitoredBackend[];
  /** Stores that are no longer in use, of whose history the rest is being recorded. */
  leaving: readonly LeavingStore[];
  /** By the id under which history is recorded: the backend's id as users know it. */
  publicIds: ReadonlyMap<string, string>;
  namespaces: Pick<KnownNamespaces, 'policyOf' | 'keeperOf'>;
  holdBaselines: Pick<HoldBaselines, 'of'>;
  incidents: IncidentTable;
  clock: Clock;
  /** For how long events are kept. */
  historyMs: number;
  /** Called when the past is read. */
  onRead: () => void;
}

/** The part of a mark that is known before anything is read. */
type PastBegin = Omit<PastMark, 'isCut' | 'isLagging' | 'unread'>;

interface KnownFleet {
  fleet: PastFleet;
  past: PastMark;
  /** How many locks the fleet has. */
  locks: number;
}

type WithPast<T> = T & { past: PastMark };

/**
 * The fleet as it was, from the recorded events. Statuses are computed with the present baselines
 * and policies. Each instant is read once for all viewers, one instant after another.
 */
export class PastView {
  readonly range: PastRange;
  readonly counters: PastCounters;
  private readonly open: OpenLocksReader;
  private readonly fleets = new InstantCache<KnownFleet>();
  private readonly turns = new SerialQueue();
  private readonly pageTurns: AnswerTurns;
  /** The clock of a store minus that of this process. */
  private readonly offsetOf = (store: string) =>
    this.parts.backends.find(({ id }) => id === store)?.engine.health().clockOffsetMs ?? 0;

  constructor(private readonly parts: PastViewOptions) {
    const { database, table, counters, backends, leaving, clock, historyMs, onRead } = parts;
    this.pageTurns = new AnswerTurns(
      () => this.slice(),
      () => clock.monotonic(),
    );
    const { offsetOf } = this;
    const stores = backends.map(({ id }) => id);
    this.range = new PastRange({ database, clock, stores, offsetOf, historyMs, onRead });
    const check = (at: number) => this.check(at);
    const left = leaving.flatMap(({ id, store }) => (store ? [{ id, store }] : []));
    const recording = new RecordingWatch(database, [...backends, ...left], clock);
    this.counters = new PastCounters({ database, counters, check, recording, offsetOf, clock });
    this.open = new OpenLocksReader(recording, table, backends, clock);
  }

  async locks(at: number, input: LockListInput): Promise<WithPast<LockPage>> {
    const { fleet, past } = await this.at(at);
    return { ...(await fleet.page(input)), past };
  }

  async waits(at: number): Promise<WithPast<WaitGraph>> {
    const { fleet, past } = await this.at(at);
    return { ...(await fleet.waitGraph()), past };
  }

  async holders(at: number, search?: string): Promise<WithPast<HoldersPage>> {
    const { fleet, past } = await this.at(at);
    return { ...(await fleet.holdersPage(search)), past };
  }

  /** @throws LockyardError `NOT_FOUND` for a process that neither held a lock nor waited then */
  async process(at: number, id: string): Promise<WithPast<ProcessDetail>> {
    const { fleet, past } = await this.at(at);
    return { ...(await fleet.process(id)), past };
  }

  /** @throws LockyardError `NOT_FOUND` for a namespace that never existed */
  async lock(at: number, key: RecordKey): Promise<WithPast<LockDetail>> {
    const { namespaces, backends } = this.parts;
    const id = await namespaces.keeperOf(key.namespace);
    if (id === null) throw noNamespace(key.namespace);
    // The history of a backend that is no longer configured is kept.
    const store = locateStore(backends, id, key);
    const storeId = store?.id ?? id;
    const { fleet, past } = await this.at(at);
    const lockId = recordId(key);
    const found = fleet.find(rowId(id, lockId));
    const sources = this.sources(at);
    const former = store ? null : await readFormerLock(sources, storeId, lockId, found);
    const row = former?.row ?? found ?? (await readPastLock(sources, storeId, lockId));
    const isKnown = former?.isKnown ?? fleet.isKnown(storeId);
    const { record, readAt: now } = row;
    const waitPart = fleet.waitPartOf(row.id);
    return {
      row: fleet.rowOf(row, isKnown),
      holds: liveHolds(record, now).map((hold) => {
        return { ...tracedHoldRow(hold), liveness: fleet.livenessOf(row.id, hold, now) };
      }),
      waiters: waiterRows(record, now),
      lastToken: record.lastToken,
      minValidToken: inspectRecord(record, now, store?.epochOf() ?? FIRST_EPOCH).minValidToken,
      backend: fleet.healthOf(keeperOf(row), former ? at - now : 0),
      policy: namespaces.policyOf(key.namespace),
      ...(waitPart ? { waitPart } : {}),
      asOf: at,
      fresh: isKnown,
      past,
    };
  }

  /** The roll-ups of the minute around an instant; null: there are none. */
  minute(at: number): Promise<PastMinute | null> {
    const { database, publicIds } = this.parts;
    const sources = { database, publicIds, offsetOf: this.offsetOf, at };
    return this.turns.run(() => readPastMinute({ ...sources, slice: this.slice() }));
  }

  /**
   * Checks that an instant can be shown. Returns what is known of it before it is read.
   *
   * @throws LockyardError `INVALID` for an instant in the future, `NOT_FOUND` for one before
   *   everything that is recorded
   */
  async check(at: number): Promise<PastBegin> {
    this.parts.onRead();
    const now = this.parts.clock.now();
    if (at > now + AHEAD_MAX_MS) throw new LockyardError('INVALID', 'at: is in the future.');
    const { events } = await this.range.since();
    if (events !== null && at >= events) {
      const restored = await this.range.restoredAround(at);
      return { at, since: events, ...(restored && { restored }) };
    }
    throw beforeAll(events);
  }

  /** Like `check` for what is read from roll-ups, which are kept for longer than events. */
  async checkMinutes(at: number): Promise<void> {
    const { minutes } = await this.range.since();
    if (minutes === null || at < minutes || at > this.parts.clock.now()) await this.check(at);
  }

  private async at(at: number): Promise<KnownFleet> {
    const begin = await this.check(at);
    const known = this.fleets.get(at);
    if (known) return known;
    const reading = this.turns.run(() => this.read(at, begin));
    this.fleets.keep(at, reading);
    const fleet = await reading;
    // What was incomplete now may be complete at the next request.
    if (fleet.past.isLagging || fleet.past.unread) this.fleets.forget(at);
    return fleet;
  }

  private async read(at: number, begin: PastBegin): Promise<KnownFleet> {
    const { database, backends, namespaces, holdBaselines, clock, incidents } = this.parts;
    const slice = () => this.slice();
    const open = await this.open.read(at);
    const unread = new Set([...open.silent].flatMap(([id, until]) => (until < at ? [id] : [])));
    const read = this.sources(at);
    const deaths = new Map<string, ProvenDeath[]>();
    const instants = [at, ...backends.map(({ id }) => read.atOf(id))];
    const openThen = await incidents.at(Math.min(...instants), Math.max(...instants));
    const others = openThen.flatMap(({ backend, namespace, name, facts, beganAt, endedAt }) => {
      const key = { namespace, name };
      const lockId = recordId(key);
      const store = locateStore(backends, backend, key)?.id;
      if (store === undefined) return [];
      const instant = read.atOf(store);
      if (beganAt > instant || (endedAt !== null && endedAt <= instant)) return [];
      const known = facts.deaths?.filter((death) => death.at <= instant) ?? [];
      if (known.length > 0) deaths.set(rowId(backend, lockId), known);
      return [{ store, lockId }];
    });
    const knownUntilOf = (store: string) => read.onClockOf(store, open.silent.get(store) ?? at);
    const sources = { ...read, open, knownUntilOf, others, slice: slice() };
    const { rows, isCut } = await readPastLocks(sources);
    const measured = { rows, deaths, holdBaselines, namespaces };
    const baselines = await readPastBaselines({ ...measured, database, slice: slice() });
    const turns = this.pageTurns;
    const parts = { at, rows, backends, unread, namespaces, baselines, clock, slice, turns };
    const fleet = await PastFleet.of(parts);
    const ids = new Set(backends.filter(({ id }) => unread.has(id)).map(publicId));
    const gap = ids.size > 0 ? { unread: [...ids] } : {};
    const past = { ...begin, isCut, isLagging: open.isLagging, ...gap };
    return { fleet, past, locks: rows.length };
  }

  private slice(): TimeSlice {
    return new TimeSlice(() => this.parts.clock.monotonic(), processCpuMs);
  }

  private sources(at: number) {
    const { database, backends, publicIds, namespaces } = this.parts;
    const offsets = new Map(
      backends.map(({ id, engine }) => [id, engine.health().clockOffsetMs] as const),
    );
    const onClockOf = (store: string, instant: number) =>
      Math.floor(instant + (offsets.get(store) ?? 0));
    return {
      database,
      publicIds,
      atOf: (store: string) => onClockOf(store, at),
      onClockOf,
      lockDelayMsOf: (namespace: string) => namespaces.policyOf(namespace).lockDelayMs,
    };
  }
}

function beforeAll(recordedSince: number | null): LockyardError {
  if (recordedSince === null) {
    return new LockyardError('NOT_FOUND', 'at: is before anything was recorded.');
  }
  const first = new Date(recordedSince).toISOString();
  const text = `at: is before the first recorded event, at ${first}.`;
  return new LockyardError('NOT_FOUND', text, { recordedSince });
}
