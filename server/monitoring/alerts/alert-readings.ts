import type { AlertSubject } from '../../contract/console/alerts/alert-row';
import type { AlertRules } from '../../contract/console/alerts/alert-rules';
import { LOCK_STATUSES } from '../../contract/console/console-terms';
import { type AlertReading, alertKey } from '../../core/alerts/alert';
import { isBackendUnknown, lockConditions } from '../../core/alerts/alert-conditions';
import {
  backendSentence,
  counterSentence,
  lockAlertSentence,
} from '../../core/alerts/alert-sentence';
import { totalBlockingMs } from '../../core/status/blocking-time';
import { longestHold, type StuckReason } from '../../core/status/stuck-reason';
import { recordId } from '../../storage/record-id';
import type { LockTable } from '../lock-list/table/lock-table';
import { type MonitoredBackend, publicHealths, publicId } from '../projection/monitored-backend';
import { type ProjectionRow, rowId } from '../projection/projection-row';
import type { NearCounters } from './near-counters';
import { StuckSpells } from './stuck-spells';

const EXPIRED = LOCK_STATUSES.indexOf('expired');

/** What the alert rules are evaluated against. */
export interface AlertSources {
  table: Pick<LockTable, 'refresh' | 'slice' | 'columns' | 'facts' | 'at' | 'byId' | 'lockRow'> &
    Pick<LockTable, 'reads'>;
  counters: Pick<NearCounters, 'refresh' | 'forget' | 'all' | 'isUnreadable'>;
  /** Whether all of a backend has been read: only then is a missing name known to be gone. */
  isRead: (backend: string) => boolean;
  /** Whether the present state of a backend or shard is known. */
  isFresh: (backend: MonitoredBackend) => boolean;
  backends: readonly MonitoredBackend[];
  /** Every namespace, and its backend. */
  namespaces: () => Iterable<{ name: string; backend: string }>;
  /** The clock of this process. */
  now: () => number;
  /** Its monotonic clock, in ms. */
  monotonic: () => number;
}

/** What an alert is about, and since when. */
type FiringAlert = AlertSubject & Pick<AlertReading, 'since'>;

/** Evaluates the alert rules. */
export class AlertReadings {
  /**
   * By backend or shard: its clock minus that of this process at the last reading, in ms; null:
   * its present state was unknown.
   */
  private offsets = new Map<string, number | null>();
  private readonly stuckSpells = new StuckSpells();

  constructor(
    private readonly parts: AlertSources,
    private readonly rulesOf: (namespace: string) => AlertRules,
  ) {}

  /**
   * The rules that are met now, by `alertKey`. Checks only locks in trouble.
   *
   * @param firing the alerts that fire, including those that a former process has stored
   * @param hasRoom whether one more alert may fire; called once for each new one
   */
  async met(
    firing: ReadonlyMap<string, FiringAlert>,
    hasRoom: (alert: AlertSubject) => boolean,
  ): Promise<Map<string, AlertReading>> {
    const { table, backends, isFresh, monotonic } = this.parts;
    await table.refresh();
    this.stuckSpells.forgetOld(monotonic());
    this.offsets = new Map(
      backends.map((one) => [one.id, isFresh(one) ? one.engine.health().clockOffsetMs : null]),
    );
    const met = new Map<string, AlertReading>();
    const add = (reading: AlertReading) => {
      const key = alertKey(reading);
      if (firing.has(key) || hasRoom(reading)) met.set(key, reading);
    };
    await table.slice().forEach([...table.columns.troubled], (slot) => {
      this.readLock(slot, firing, add);
    });
    await table.slice().forEach(this.parts.counters.all(), (entry) => {
      const { backend, namespace, name } = entry;
      const offsetMs = this.offsetOf(entry.storeId);
      if (offsetMs === null) return;
      const sentence = () => counterSentence(entry);
      const since = (entry.lastMove?.at ?? entry.readAt) - offsetMs;
      add({ kind: 'counterNear', backend, namespace, name, since, sentence });
    });
    for (const reading of this.ofBackends()) add(reading);
    return met;
  }

  /** Whether an alert must not end although its rule is not met: the present state is unknown. */
  isUnknown(alert: FiringAlert): boolean {
    const { kind, backend, namespace, name } = alert;
    const { backends, table, counters, isRead } = this.parts;
    if (kind === 'backendUnknown' || name === null) return this.isStillSilent(alert);
    const stores = backends.filter((one) => publicId(one) === backend);
    if (stores.length === 0) return false;
    const key = { namespace, name };
    const isOfCounter = kind === 'counterNear';
    const counterId = rowId(backend, recordId({ ...key, kind: 'counter' }));
    if (isOfCounter && counters.isUnreadable(counterId)) return true;
    const row = isOfCounter ? null : table.byId(rowId(backend, recordId(key)));
    if (row) {
      const offsetMs = this.offsetOf(row.backend);
      return offsetMs === null || !this.isPresent(row, this.parts.now() + offsetMs);
    }
    return !isRead(backend) || stores.some(({ id }) => this.offsetOf(id) === null);
  }

  /** Counts from the alert's start: this process may have observed the silence for less time. */
  private isStillSilent({ namespace, backend, since }: FiringAlert): boolean {
    const { backends, namespaces, now } = this.parts;
    const health = publicHealths(backends).find(({ id }) => id === backend);
    const isKept = Array.from(namespaces()).some(
      (one) => one.name === namespace && one.backend === backend,
    );
    const isMet = isBackendUnknown(now() - since, this.rulesOf(namespace));
    return isKept && isMet && health?.reachable === false;
  }

  private readLock(
    slot: number,
    firing: ReadonlyMap<string, FiringAlert>,
    add: (reading: AlertReading) => void,
  ): void {
    const { table, now } = this.parts;
    const { columns } = table;
    const row = columns.troubled.has(slot) && columns.groups[slot] !== 0 ? table.at(slot) : null;
    if (!row) return;
    const offsetMs = this.offsetOf(row.backend);
    if (offsetMs === null) return;
    const at = Math.floor(now() + offsetMs);
    if (!this.isPresent(row, at)) return;
    const callers = columns.blockedCallers[slot] as number;
    const sinceSum = columns.blockedSince[slot] as number;
    const { stuck, orphaned } = table.facts.reasonOf(slot);
    const stuckSince = stuck && this.stuckSince(row, stuck, offsetMs, firing);
    const facts = {
      at,
      stuckSince,
      orphanedSince: orphaned?.since ?? null,
      expiredSince: columns.statuses[slot] === EXPIRED ? availableSince(row, at) : null,
      oldestWaitAt: callers > 0 ? row.oldestWaitAt : null,
      blockingMs: totalBlockingMs({ callers, sinceSum }, now() - columns.blockedOrigin),
    };
    const { namespace, name } = row.key;
    const sentence = () => this.sentenceOf(slot, row, at);
    for (const { kind, since: metSince } of lockConditions(facts, this.rulesOf(namespace))) {
      const since = metSince - offsetMs;
      add({ kind, backend: row.publicBackend, namespace, name, since, sentence });
    }
  }

  /** By the clock of its backend. A lock whose alert fires was stuck before this reading. */
  private stuckSince(
    { id, key: { namespace, name }, publicBackend: backend, record }: ProjectionRow,
    { kind, since }: StuckReason,
    offsetMs: number,
    firing: ReadonlyMap<string, FiringAlert>,
  ): number {
    const now = this.parts.now();
    // A wait can be too long although the lock is granted to one caller after another.
    const hold = kind === 'longWait' ? null : longestHold(record.holds, now + offsetMs);
    const found = { token: hold?.token ?? 0, since };
    const alert = firing.get(alertKey({ kind: 'stuck', backend, namespace, name }));
    const noted = this.stuckSpells.note(id, found, this.parts.monotonic());
    return Math.min(noted, (alert?.since ?? now) + offsetMs);
  }

  /** @param at an instant of its backend's clock */
  private isPresent(row: ProjectionRow, at: number): boolean {
    return row.isReadable && this.parts.table.reads.isSettled(row, at);
  }

  private sentenceOf(slot: number, row: ProjectionRow, at: number): string {
    const { table } = this.parts;
    const shown = table.at(slot) === row ? table.lockRow(slot) : null;
    return shown ? lockAlertSentence(shown, at) : '';
  }

  private *ofBackends(): Generator<AlertReading> {
    const { backends, namespaces, now } = this.parts;
    const healths = new Map(publicHealths(backends).map((health) => [health.id, health]));
    for (const { name: namespace, backend } of namespaces()) {
      const health = healths.get(backend);
      if (!health || health.reachable) continue;
      const { silentForMs } = health;
      if (!isBackendUnknown(silentForMs, this.rulesOf(namespace))) continue;
      const sentence = () => backendSentence(health, namespace);
      const since = now() - silentForMs;
      yield { kind: 'backendUnknown', backend, namespace, name: null, since, sentence };
    }
  }

  private offsetOf(id: string): number | null {
    return this.offsets.get(id) ?? null;
  }
}

/** When the last lease expired or the lock delay after it ended, whichever is later. */
function availableSince({ record }: ProjectionRow, at: number): number {
  const { ended, holds, delayedUntil } = record;
  const isEnded = ended?.cause === 'expired' && holds.length === 0;
  const expiredAt = isEnded ? ended.at : Math.min(at, ...holds.map(({ expiresAt }) => expiresAt));
  return Math.max(expiredAt, delayedUntil);
}
