import type { LockListInput } from '../../contract/console/console-inputs';
import { LOCK_STATUSES } from '../../contract/console/console-terms';
import type { Ranking } from './order/ranking';
import { SlotOrder } from './order/slot-order';
import type { TimeSlice } from './order/time-slice';
import type { LockTable } from './table/lock-table';

/** What a view shows, and in which order. */
export type ViewInput = Pick<
  LockListInput,
  'attention' | 'status' | 'namespace' | 'backend' | 'search' | 'sort' | 'descending'
>;

/** A key for the view that an input requests; equal for inputs that request the same view. */
export function viewKey(input: ViewInput): string {
  const { attention, status, namespace, backend, search, sort, descending } = input;
  const filters = [status, namespace, backend, search?.toLowerCase()];
  return JSON.stringify([sort, descending, attention, ...filters.map((each) => each ?? '')]);
}

/** The locks of a filter, in the order of a ranking. Only changed locks are checked again. */
export class ListView {
  /** When a page last requested it, on the monotonic clock. */
  usedAt = 0;
  /** How many windows into it are followed. */
  windows = 0;
  private readonly matching = new SlotOrder();
  private version = -1;
  private rankedAs = -1;
  private building: Promise<void> | null = null;
  private readonly status: number;
  private readonly searchText: string;

  constructor(
    readonly input: ViewInput,
    readonly ranking: Ranking,
    private readonly table: LockTable,
  ) {
    this.status = input.status === undefined ? -1 : LOCK_STATUSES.indexOf(input.status);
    this.searchText = input.search?.toLowerCase() ?? '';
  }

  /** The slots of the locks that match, as of the last update. */
  get order(): SlotOrder {
    return this.isUnfiltered ? this.ranking.order : this.matching;
  }

  /** Brings the view up to date; the table must be settled. */
  async update(slice: TimeSlice): Promise<void> {
    await this.ranking.update(slice);
    if (this.isUnfiltered || this.catchUp()) return;
    this.building ??= slice
      .count(() => this.build(slice))
      .finally(() => {
        this.building = null;
      });
    await slice.wait(this.building);
    this.ranking.catchUp();
    this.catchUp();
  }

  private get isUnfiltered(): boolean {
    const { attention, namespace, backend } = this.input;
    const isAnywhere = namespace === undefined && backend === undefined;
    return !attention && this.status < 0 && isAnywhere && this.searchText === '';
  }

  /** Applies what has changed. False: that is too much, and every lock must be checked. */
  private catchUp(): boolean {
    const { log, columns } = this.table;
    if (this.version < 0 || !log.reaches(this.version)) return false;
    const removed: number[] = [];
    const added: number[] = [];
    for (const slot of log.since(this.version, columns.versions)) {
      const isListed = this.matching.has(slot);
      const isMatch = this.matches(slot);
      const hasMoved = this.ranking.hasMoved(slot, this.version);
      if (isListed && (!isMatch || hasMoved)) removed.push(slot);
      if (isMatch && (!isListed || hasMoved)) added.push(slot);
    }
    this.matching.change(removed, added, this.ranking.compare);
    this.version = log.end;
    if (this.rankedAs !== this.ranking.number) this.matching.orderAs(this.ranking.order);
    this.rankedAs = this.ranking.number;
    return true;
  }

  private async build(slice: TimeSlice): Promise<void> {
    const { ranking, table } = this;
    const version = table.log.end;
    // By slot rather than in list order, so that neighbours in memory are read one after another.
    const marks = new Uint8Array(table.slotsEnd);
    let count = 0;
    await slice.times(marks.length, (slot) => {
      if (!this.matches(slot)) return;
      marks[slot] = 1;
      count += 1;
    });
    this.matching.select(ranking.order, marks, count);
    this.version = version;
    this.rankedAs = ranking.number;
  }

  private matches(slot: number): boolean {
    const { table, status, searchText } = this;
    if (!table.hasStatus(slot)) return false;
    if (status >= 0 && table.columns.statuses[slot] !== status) return false;
    const { attention, namespace, backend } = this.input;
    if (attention && !table.attention.has(slot)) return false;
    const group = table.groups.of(slot, table.columns);
    if (namespace !== undefined && group?.namespace !== namespace) return false;
    if (backend !== undefined && group?.backend !== backend) return false;
    return searchText === '' || table.at(slot)?.searchText.includes(searchText) === true;
  }
}
