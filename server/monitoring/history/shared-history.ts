import type { Clock } from '../../platform/clock';
import { WorkTurns } from '../../platform/work-turns';
import { asReadBack } from '../../storage/codec/history-codec';
import type { Change, HistoryRow, HistorySource, SwapResult } from '../../storage/record-store';

/** A tail asks for a row at most this much later; else it reads it from the store. */
const KEPT_FOR_MS = 1_000;
const KEPT_ROWS_MAX = 2_000;
const KEPT_EVENTS_MAX = 50_000;

/** Events of this process that are delivered before other work in it gets a turn. */
const EVENTS_PER_TURN = 800;

/** Those that follow the history of a backend: its projection and its recorder. */
const TAILS = 2;

/** A row that tails will ask for. */
interface KeptRow {
  row: HistoryRow;
  /** Whether its events are still as they were decided, not as a store returns them. */
  isAsDecided: boolean;
  keptAt: number;
  /** How many tails have not had it. */
  tails: number;
  events: number;
}

/**
 * A store's history for two tails of this process. What this process has written, and what one tail
 * has read, comes from memory, so that most rows are never read and the others once. Delivers what
 * the store would. No reader may change a row.
 */
export class SharedHistory implements HistorySource {
  /** By id; those that were kept first come first. */
  private readonly kept = new Map<number, KeptRow>();
  private keptEvents = 0;

  constructor(
    private readonly source: HistorySource,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  /**
   * Keeps what this process has committed to the store.
   *
   * @param changes of one call
   * @param results what the store has answered to it
   */
  readonly noteSwap = (changes: readonly Change[], results: readonly SwapResult[]): void => {
    const rows = new Map<number, HistoryRow>();
    for (const [i, { applied, now, historyId }] of results.entries()) {
      const { key, rev, events } = changes[i] as Change;
      if (!applied || historyId === undefined || events.length === 0) continue;
      const row = rows.get(historyId);
      if (row) row.changes.push({ key, rev, events });
      else rows.set(historyId, { id: historyId, at: now, changes: [{ key, rev, events }] });
    }
    for (const row of rows.values()) this.keep(row, { isAsDecided: true, tails: TAILS });
    this.forgetOld();
  };

  async historyAfter(position: number, limit: number): Promise<HistoryRow[]> {
    this.forgetOld();
    const known = await delivered(this.takeFollowing(position, limit));
    if (known.length === limit) return known;
    const fresh = await this.source.historyAfter(
      known.at(-1)?.id ?? position,
      limit - known.length,
    );
    for (const row of fresh) {
      const kept = this.kept.get(row.id);
      if (kept) this.countTail(kept);
      else this.keep(row, { isAsDecided: false, tails: TAILS - 1 });
    }
    return known.length > 0 ? [...known, ...fresh] : fresh;
  }

  historyOf(ids: number[]): Promise<HistoryRow[]> {
    return this.source.historyOf(ids);
  }

  historyEnd(): Promise<number> {
    return this.source.historyEnd();
  }

  pruneHistory(position: number, before: number): Promise<number> {
    return this.source.pruneHistory(position, before);
  }

  /**
   * Only up to the first id that is not kept: its row may have become visible since, and the tail
   * must see every row that is visible by now.
   */
  private takeFollowing(position: number, limit: number): KeptRow[] {
    const rows: KeptRow[] = [];
    while (rows.length < limit) {
      const next = this.kept.get(position + rows.length + 1);
      if (!next) return rows;
      this.countTail(next);
      rows.push(next);
    }
    return rows;
  }

  /** One more tail has it. */
  private countTail(kept: KeptRow): void {
    kept.tails -= 1;
    if (kept.tails === 0) this.forget(kept);
  }

  private keep(row: HistoryRow, how: Pick<KeptRow, 'isAsDecided' | 'tails'>): void {
    // A tail may have read it before this process knew that it had written it.
    if (this.kept.has(row.id)) return;
    const events = row.changes.reduce((sum, change) => sum + change.events.length, 0);
    this.kept.set(row.id, { row, keptAt: this.clock.monotonic(), events, ...how });
    this.keptEvents += events;
  }

  private forgetOld(): void {
    const before = this.clock.monotonic() - KEPT_FOR_MS;
    for (const kept of this.kept.values()) {
      const areMany = this.kept.size > KEPT_ROWS_MAX || this.keptEvents > KEPT_EVENTS_MAX;
      if (kept.keptAt > before && !areMany) return;
      this.forget(kept);
    }
  }

  private forget({ row, events }: KeptRow): void {
    this.kept.delete(row.id);
    this.keptEvents -= events;
  }
}

/** The rows as a store returns them; each is made so once. */
async function delivered(rows: readonly KeptRow[]): Promise<HistoryRow[]> {
  const turns = new WorkTurns(EVENTS_PER_TURN);
  for (const kept of rows) {
    if (!kept.isAsDecided) continue;
    if (turns.isOver) await turns.pause();
    const changes = kept.row.changes.map(({ key, rev, events }) => ({
      key,
      rev,
      events: events.map(asReadBack),
    }));
    kept.row = { ...kept.row, changes };
    kept.isAsDecided = false;
    turns.count(kept.events);
  }
  return rows.map(({ row }) => row);
}
