import type { Database } from '@/db/database';
import type { AlertSubject, SilenceRow } from '../../contract/console/alerts/alert-row';
import { type AlertRules, DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import { type AlertReading, alertKey, isNews, nextAlert } from '../../core/alerts/alert';
import type { SentAlert } from '../../core/alerts/alert-message';
import { Silences } from '../../core/alerts/silences';
import type { ShouldContinue } from '../../platform/periodic';
import type { SerialQueue } from '../../platform/serial-queue';
import { removalInstant } from '../history/removal-instant';
import { AlertReadings, type AlertSources } from './alert-readings';
import { AlertRoom } from './alert-room';
import { AlertSettings } from './alert-settings';
import { type AlertChange, AlertTable, type StoredAlert } from './alert-table';
import { SilenceEnds } from './silence-ends';

/** How many resolved alerts are kept for receivers that have not been sent them yet. */
const RESOLVED_MAX = 1_000;

/** How many alerts are written in one transaction. */
const ROWS_AT_ONCE = 100;

/** After a restart within this time, `cleared` is still taken from the last reading. */
const SOON_MS = 10_000;

const NOTHING = { firing: [], leftOut: 0 };

/** Positions of the news that receivers were sent. */
export interface SentPositions {
  /** The position from which receivers still need resolved alerts. */
  byAll: () => Promise<number>;
  /** The position after which no receiver was sent anything. */
  byAny: () => Promise<number>;
}

/** The alerts as they were last read and written. */
interface Watched {
  /** By `alertKey`. */
  firing: Map<string, StoredAlert>;
  resolved: StoredAlert[];
  /** Position of the latest news. */
  position: number;
}

/**
 * Decides which alerts fire and which are resolved, and stores that. Only the process that runs
 * maintenance does this. Firing alerts are stored, so its successor continues with them. While a
 * backend does not respond, the state of its locks and counters is unknown, and their alerts stay
 * as they are.
 */
export class AlertWatch {
  private readonly stored: AlertTable;
  private readonly settings: AlertSettings;
  private readonly silenceEnds: SilenceEnds;
  private readonly readings: AlertReadings;
  private rules = new Map<string, AlertRules>();
  private silences = new Silences([]);
  private watched: Watched | null = null;
  /**
   * The last reading, on the monotonic clock. It alone records when the rule of a firing alert
   * ceased to be met.
   */
  private last: { atMs: number; firing: Watched['firing'] } | null = null;
  private restarts = 0;
  /** See `SentPositions`, as last read. */
  private sentByAny = 0;
  /** Whether another process does this work. */
  private isLeft = false;
  /** Figures of the last reading of this process, for its metrics. */
  private counted: { firing: Iterable<SentAlert>; leftOut: number } = NOTHING;

  constructor(
    private readonly database: Database,
    private readonly sources: AlertSources,
    /** What receivers were sent. */
    private readonly sent: SentPositions,
    /** How long resolved alerts are kept. */
    private readonly historyMs: number,
    /**
     * Shared with the senders: if a message with an alert were made between reading that the alert
     * is unsent and holding it back, it would be sent again at the end of its silence.
     */
    private readonly turns: SerialQueue,
  ) {
    this.stored = new AlertTable(database);
    this.settings = new AlertSettings(database);
    this.silenceEnds = new SilenceEnds(this.settings);
    this.readings = new AlertReadings(sources, (namespace) => this.rulesOf(namespace));
  }

  /** Starts again from the stored alerts, as after another process did this work. */
  restart(): void {
    this.isLeft = false;
    this.counted = NOTHING;
    this.reload();
  }

  /** Leaves this work to another process, and drops the state that only this work needs. */
  leave(): void {
    this.restart();
    this.isLeft = true;
    this.sources.counters.forget();
  }

  private reload(): void {
    this.watched = null;
    this.restarts += 1;
  }

  /** Every firing alert, and the latest resolved ones; null while they have not been read. */
  known(): Iterable<SentAlert> | null {
    if (!this.watched) return null;
    const { firing, resolved } = this.watched;
    return [...firing.values(), ...resolved];
  }

  /** Every firing alert, even while they are being reloaded. */
  get firing(): Iterable<SentAlert> {
    return this.counted.firing;
  }

  /** How many alerts do not fire because too many others do. */
  get leftOut(): number {
    return this.counted.leftOut;
  }

  /** Takes one reading of all that rules are about, and stores what has changed. */
  async run(): Promise<void> {
    const { restarts } = this;
    try {
      const watched = this.watched ?? (await this.load());
      const now = this.sources.now();
      this.rules = await this.settings.ownRules();
      const silences = await this.settings.silences(now);
      await this.settings.restart(silences, now);
      await this.silenceEnds.follow(silences, now, this.sources.monotonic());
      this.silences = renewed(this.silences, silences);
      await this.sources.counters.refresh(this.rules, DEFAULT_ALERT_RULES);
      const isSilencedNow = (subject: AlertSubject) => this.silences.match(subject, now);
      const room = new AlertRoom(watched.firing.values(), isSilencedNow);
      const met = await this.readings.met(watched.firing, (alert) => room.admits(alert));
      const isHeldBack = (alert: StoredAlert) => this.isUnsent(alert) && isSilencedNow(alert);
      await this.turns.run(async () => {
        // Usually none is, and nothing is read.
        if ([...watched.firing.values()].some(isHeldBack)) this.sentByAny = await this.sent.byAny();
        await this.write(watched, this.changes(watched, met));
      });
      this.last = { atMs: this.sources.monotonic(), firing: watched.firing };
      if (restarts !== this.restarts) return;
      this.watched = watched;
      this.counted = { firing: [...watched.firing.values()], leftOut: room.leftOut };
    } catch (error) {
      this.reload();
      throw error;
    } finally {
      if (this.isLeft) this.sources.counters.forget();
    }
  }

  async prune(shouldContinue?: ShouldContinue): Promise<void> {
    const now = await removalInstant(this.database, this.sources.now());
    await this.stored.prune(now - this.historyMs, shouldContinue);
    // Picks up alerts that a former process wrote late.
    this.reload();
  }

  /** Whether an alert was announced, and no receiver was sent it, as far as was read. */
  private isUnsent({ announcedAt, position }: StoredAlert): boolean {
    return announcedAt !== null && position > this.sentByAny;
  }

  private rulesOf(namespace: string): AlertRules {
    return this.rules.get(namespace) ?? DEFAULT_ALERT_RULES;
  }

  private async load(): Promise<Watched> {
    const position = await this.stored.position();
    const alerts = await this.stored.load(await this.sent.byAll());
    const isFiring = ({ resolvedAt }: StoredAlert) => resolvedAt === null;
    const firing = alerts.filter(isFiring).map((alert) => this.asLastRead(alert));
    return {
      firing: new Map(firing.map((alert) => [alertKey(alert), alert])),
      resolved: alerts.filter((alert) => !isFiring(alert)),
      position,
    };
  }

  private asLastRead(alert: StoredAlert): StoredAlert {
    const { last } = this;
    const isSoon = last !== null && this.sources.monotonic() - last.atMs < SOON_MS;
    const before = isSoon ? last.firing.get(alertKey(alert)) : undefined;
    return before?.id === alert.id ? { ...alert, cleared: before.cleared } : alert;
  }

  private changes(
    { firing }: Watched,
    met: ReadonlyMap<string, AlertReading>,
  ): [key: string, change: AlertChange][] {
    const changes: [string, AlertChange][] = [];
    const now = this.sources.now();
    const monotonicMs = this.sources.monotonic();
    const follow = (key: string, before: StoredAlert | null, reading: AlertReading | null) => {
      const subject = reading ?? before;
      const isSilenced = () => subject !== null && this.silences.match(subject, now);
      const isUnsent = before !== null && this.isUnsent(before);
      const after = nextAlert(before, reading, { now, monotonicMs, isSilenced, isUnsent });
      if (!after || after === before) return;
      const alert = { id: 0, position: 0, ...before, ...after };
      const hasNews = isNews(before, after);
      // Only what matters after a restart is written.
      const isStored =
        before?.announcedAt !== after.announcedAt || hasNews || after.resolvedAt !== null;
      if (isStored) changes.push([key, { alert, isNew: !before, hasNews }]);
      else firing.set(key, alert);
    };
    for (const [key, alert] of firing) {
      const reading = met.get(key) ?? null;
      if (reading || !this.readings.isUnknown(alert)) follow(key, alert, reading);
    }
    for (const [key, reading] of met) if (!firing.has(key)) follow(key, null, reading);
    return changes;
  }

  private async write(watched: Watched, changes: [string, AlertChange][]): Promise<void> {
    for (let i = 0; i < changes.length; i += ROWS_AT_ONCE) {
      const batch = changes.slice(i, i + ROWS_AT_ONCE);
      const from = watched.position;
      let position = from;
      for (const [, { alert, hasNews }] of batch) {
        if (!hasNews) continue;
        position += 1;
        alert.position = position;
      }
      await this.stored.write(
        batch.map(([, change]) => change),
        from,
        position,
      );
      watched.position = position;
      for (const [key, { alert }] of batch) keep(watched, key, alert);
    }
  }
}

/** The same object if no silence has changed: it remembers which alerts they match. */
function renewed(before: Silences, rows: readonly SilenceRow[]): Silences {
  const textOf = (all: readonly SilenceRow[]) =>
    all.map(({ id, endsAt }) => `${id} ${endsAt}`).join();
  return textOf(before.rows) === textOf(rows) ? before : new Silences(rows);
}

/** Applies a written change to the known alerts. */
function keep({ firing, resolved }: Watched, key: string, alert: StoredAlert): void {
  if (alert.resolvedAt === null) {
    firing.set(key, alert);
    return;
  }
  firing.delete(key);
  if (alert.announcedAt === null) return;
  resolved.push(alert);
  if (resolved.length > RESOLVED_MAX) resolved.shift();
}
