import type { LockFrame } from '../../contract/console/lock-list-message';
import type { BackendHealth } from '../../contract/console/lock-row';
import type { LockTable } from './table/lock-table';

/** What pages of all views say alike. */
export type SharedFrame = Omit<LockFrame, 'offset' | 'ranking' | 'matching'>;

/** These change at every look, and matter little. */
const RESTLESS = new Set(['latencyMs', 'silentForMs', 'clockOffsetMs']);

/**
 * What pages say besides their rows. What has not changed since the last time is the same object
 * again.
 */
export class FrameSource {
  private last: SharedFrame | null = null;

  constructor(
    private readonly table: LockTable,
    private readonly healths: () => BackendHealth[],
    private readonly now: () => number,
  ) {}

  /** @param isBeat whether to tell of backends though only their latencies have changed */
  read(slowed: boolean, isBeat: boolean): SharedFrame {
    const { locks: total, waiting, counts } = this.table.groups.sum();
    const { namespaces } = this.table.groups;
    const backends = this.healths();
    const { last } = this;
    const frame = {
      counts: sameIf(last?.counts, counts, JSON.stringify),
      total,
      waiting,
      namespaces: sameIf(last?.namespaces, namespaces, JSON.stringify),
      backends: isBeat ? backends : sameIf(last?.backends, backends, calmText),
      slowed,
      asOf: this.now(),
    };
    this.last = frame;
    return frame;
  }
}

function sameIf<V>(before: V | undefined, now: V, textOf: (value: V) => string): V {
  return before !== undefined && textOf(before) === textOf(now) ? before : now;
}

const calmText = (healths: BackendHealth[]) =>
  JSON.stringify(healths, (key, value: unknown) => (RESTLESS.has(key) ? undefined : value));
