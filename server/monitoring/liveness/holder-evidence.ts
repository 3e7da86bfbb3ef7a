import type { Database } from '@/db/database';
import type { Hold } from '../../core/lock/lock-record';
import {
  EVIDENCE_FRESH_MS,
  type LivenessState,
  type LivenessVerdict,
  livenessOf,
  type WitnessReport,
} from '../../core/status/holder-liveness';
import type { HostIdentity, ProcessIdentity } from '../../core/status/process-identity';
import { CLOCK_ERROR_MS } from '../../core/timing';
import type { Clock } from '../../platform/clock';
import { recordKey } from '../../storage/record-id';
import { locateStore, type MonitoredBackend } from '../projection/monitored-backend';
import type { ProjectionRow } from '../projection/projection-row';
import { EvidenceTable, type FiledReport } from './evidence-table';
import { type Holder, HolderIndex } from './holder-index';
import { inTurn } from './in-turn';

/**
 * An unchanged report is written again after this time, so that it stays fresh for all processes.
 */
const REWRITE_AFTER_MS = 10_000;

/** Rows this much older are read again: their writers may have been slow to commit. */
const OVERLAP_MS = 3_000;

/** How often all reports are read again, which drops those that were pruned. */
const REREAD_ALL_MS = 60_000;

/** Reports of living processes are kept for this long after the last one. */
const KEPT_MS = 5 * 60_000;

/** Reports on unknown holders are kept this long: a lock may just have been granted to them. */
const PRUNE_DEAD_AFTER_MS = 2 * 60_000;

/** With more holders than this, only deaths are noted. */
const REPORTS_MAX = 50_000;

/** The most processes that one witness is asked about at a time. */
const QUESTIONS_MAX = 1_000;

/** What a witness reports on one process or hold. */
export interface Observation {
  state: LivenessState;
  evidence: string;
  /** Since when, according to the witness. */
  since?: number | null;
}

/** The source of a report. */
export type Witness = Pick<WitnessReport, 'kind' | 'witness'>;

const NOTHING: readonly WitnessReport[] = [];

/**
 * The reports of witnesses on the processes that hold locks. All processes on one control database
 * have the same within a second or two.
 */
export class HolderEvidence {
  readonly holders = new HolderIndex();
  /** Reports that this process received. */
  readonly counted = { host: noReports(), url: noReports() };
  private readonly table: EvidenceTable;
  /** By holder. */
  private reports = new Map<string, readonly FiledReport[]>();
  private deaths = 0;
  /** By holder that one witness calls dead: when another one last called it alive. */
  private readonly disputed = new Map<string, number>();
  /** Reports filed while all are read again, which can miss them; null: they are not being read. */
  private filedMeanwhile: FiledReport[] | null = null;
  private readTo = Number.POSITIVE_INFINITY;
  private readAllAt = Number.NEGATIVE_INFINITY;
  private onNews: (rowId: string) => void = () => undefined;

  constructor(
    database: Database,
    private readonly backends: readonly MonitoredBackend[],
    private readonly clock: Clock,
  ) {
    this.table = new EvidenceTable(database);
  }

  /** @param onNews called with the id of each row whose status may have changed */
  onChange(onNews: (rowId: string) => void): void {
    this.onNews = onNews;
  }

  replaced(before: ProjectionRow | null, after: ProjectionRow | null): void {
    this.holders.replaced(before, after);
  }

  /**
   * Whether any process is proven dead. Usually none is, and callers need not look one up.
   */
  get hasDeaths(): boolean {
    return this.deaths > 0;
  }

  /** The reports on the process of a hold. Instants are of its backend's clock. */
  reportsOn(rowId: string, hold: Hold): readonly WitnessReport[] {
    const holder = this.holders.of(rowId, hold);
    const filed = holder && this.reports.get(holder.id);
    if (!filed) return NOTHING;
    const shiftMs = this.clockShiftMs(rowId);
    if (shiftMs === 0) return filed;
    return filed.map((report) => ({
      ...report,
      firstAt: report.firstAt + shiftMs,
      at: report.at + shiftMs,
      since: report.since === null ? null : report.since + shiftMs,
    }));
  }

  /** @param now the clock of its backend */
  verdictOn(rowId: string, hold: Hold, now: number): LivenessVerdict {
    return livenessOf(hold, this.reportsOn(rowId, hold), now);
  }

  /** Ids of the rows of holders that witnesses of both kinds call dead. */
  *rowsProvenTwice(): Generator<string> {
    if (this.deaths === 0) return;
    for (const [id, reports] of this.reports) {
      const kinds = new Set(reports.filter(isDeath).map(({ kind }) => kind));
      if (kinds.size > 1) yield* this.holders.withId(id)?.rows ?? [];
    }
  }

  /** The processes of a machine that this witness is to report on next, as `inTurn` orders them. */
  questionsFor(machine: HostIdentity, witness: Witness): ProcessIdentity[] {
    return inTurn(this.openOn(machine, witness))
      .slice(0, QUESTIONS_MAX)
      .map(({ process }) => process);
  }

  /** The last report of this witness on a holder. */
  lastOf(holder: string, { kind, witness }: Witness): FiledReport | undefined {
    return this.reports
      .get(holder)
      ?.find((report) => report.kind === kind && report.witness === witness);
  }

  /**
   * Stores the reports of a witness on holders, and ignores those on anything else. Rejects if they
   * cannot be written; then this process does not use the new ones.
   */
  async note(witness: Witness, observed: Iterable<readonly [Holder, Observation]>): Promise<void> {
    const now = this.now();
    const fresh: FiledReport[] = [];
    for (const [{ id }, { state, evidence, since: said = null }] of observed) {
      this.counted[witness.kind][state] += 1;
      // The clock of a witness may be ahead, but what it says has happened by now.
      const since = said === null ? null : Math.min(said, Math.floor(now));
      const last = this.lastOf(id, witness);
      if (last?.state === 'dead' || !this.holders.withId(id)) continue;
      if (!last && state !== 'dead' && this.reports.size >= REPORTS_MAX) continue;
      const firstAt = last?.state === state ? last.firstAt : now;
      const report = { holder: id, ...witness, state, firstAt, at: now, since, evidence };
      const sinceWrittenMs = now - (last?.writtenAt ?? 0);
      const isKnown = last?.state === state && last.evidence === evidence;
      if (isKnown && sinceWrittenMs >= 0 && sinceWrittenMs < REWRITE_AFTER_MS) {
        this.file({ ...report, writtenAt: last.writtenAt });
      } else fresh.push({ ...report, writtenAt: now });
    }
    await this.table.write(fresh);
    for (const report of fresh) this.file(report);
  }

  /** Reads what other processes have filed, and notifies of disputed holders, as evidence ages. */
  async refresh(): Promise<void> {
    const now = this.now();
    await this.read(now);
    for (const [holder, at] of this.disputed) {
      this.notify(holder);
      if (Math.abs(now - at) > EVIDENCE_FRESH_MS + CLOCK_ERROR_MS) this.disputed.delete(holder);
    }
  }

  private async read(now: number): Promise<void> {
    const isDue = this.clock.monotonic() - this.readAllAt > REREAD_ALL_MS || now < this.readTo;
    if (!isDue) {
      for (const report of await this.table.read(this.readTo - OVERLAP_MS)) this.file(report);
      this.readTo = now;
      return;
    }
    const all = new Map<string, FiledReport[]>();
    const filed: FiledReport[] = [];
    this.filedMeanwhile = filed;
    try {
      for (const report of await this.table.read(0)) {
        all.set(report.holder, [...(all.get(report.holder) ?? []), report]);
      }
    } finally {
      this.filedMeanwhile = null;
    }
    const before = this.reports;
    this.reports = all;
    this.deaths = 0;
    for (const [holder, reports] of all) {
      if (!reports.some(isDeath)) continue;
      this.deaths += 1;
      this.noteDispute(holder);
      if (!before.get(holder)?.some(isDeath)) this.notify(holder);
    }
    for (const [holder, reports] of before) {
      if (reports.some(isDeath) && !all.get(holder)?.some(isDeath)) this.notify(holder);
    }
    for (const report of filed) this.file(report);
    this.readAllAt = this.clock.monotonic();
    this.readTo = now;
  }

  /** Removes reports on holders that have no lock any more. Only one process need do this. */
  async prune(): Promise<void> {
    const now = this.now();
    const gone = [...this.reports].filter(
      ([holder, reports]) =>
        !this.holders.withId(holder) && reports.every(({ at }) => now - at > PRUNE_DEAD_AFTER_MS),
    );
    const ids = gone.map(([holder]) => holder);
    await this.table.prune(ids, now - KEPT_MS);
    for (const id of ids) this.forget(id);
  }

  private *openOn(machine: HostIdentity, witness: Witness) {
    for (const { id, process, service } of this.holders.on(machine)) {
      const last = this.lastOf(id, witness);
      if (process && last?.state !== 'dead') yield { process, service, at: last?.at ?? 0 };
    }
  }

  private file(report: FiledReport): void {
    this.filedMeanwhile?.push(report);
    const { holder, kind, witness, state } = report;
    const known = this.reports.get(holder) ?? [];
    const same = known.find((each) => each.kind === kind && each.witness === witness);
    if (same && isDeath(same)) return;
    const wasDead = known.some(isDeath);
    this.reports.set(holder, [...known.filter((each) => each !== same), report]);
    if (state !== 'dead' && !wasDead) return;
    if (!wasDead) this.deaths += 1;
    this.noteDispute(holder);
    this.notify(holder);
  }

  private noteDispute(holder: string): void {
    for (const { state, at } of this.reports.get(holder) ?? []) {
      const before = this.disputed.get(holder) ?? 0;
      if (state === 'alive') this.disputed.set(holder, Math.max(at, before));
    }
  }

  private forget(holder: string): void {
    if (this.reports.get(holder)?.some(isDeath)) this.deaths -= 1;
    this.reports.delete(holder);
    this.disputed.delete(holder);
  }

  private notify(holder: string): void {
    for (const row of this.holders.withId(holder)?.rows ?? []) this.onNews(row);
  }

  /** The control database's clock. */
  private now(): number {
    return this.clock.now() + this.offsetMs();
  }

  /** The clock of a row's backend minus that of the control database. */
  private clockShiftMs(rowId: string): number {
    const end = rowId.indexOf('/');
    const backend = rowId.slice(0, end);
    if (backend === 'default') return 0;
    // Each shard has a clock of its own.
    const store = locateStore(this.backends, backend, recordKey(rowId.slice(end + 1)));
    return clockOffsetMs(store) - this.offsetMs();
  }

  /** The control database's clock minus that of this process. */
  private offsetMs(): number {
    return clockOffsetMs(this.backends.find(({ id }) => id === 'default'));
  }
}

const clockOffsetMs = (backend: MonitoredBackend | undefined): number =>
  backend?.engine.health().clockOffsetMs ?? 0;

const noReports = (): Record<LivenessState, number> => ({ alive: 0, dead: 0, unknown: 0 });

const isDeath = ({ state }: WitnessReport) => state === 'dead';
