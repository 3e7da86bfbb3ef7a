import type { LockFrame } from '../../contract/console/lock-list-message';
import type { BackendHealth } from '../../contract/console/lock-row';
import type { LockTable } from './table/lock-table';

/** The part of a frame that is the same for pages of all views. */
export type SharedFrame = Omit<LockFrame, 'offset' | 'ranking' | 'matching'>;

/** These change with every reading, and matter little. */
const VOLATILE = new Set(['latencyMs', 'silentForMs', 'clockOffsetMs']);

/**
 * The content of pages apart from their rows. A part that has not changed is the same object as
 * last time.
 */
export class FrameSource {
  private last: SharedFrame | null = null;

  constructor(
    private readonly table: LockTable,
    private readonly healths: () => BackendHealth[],
    private readonly now: () => number,
  ) {}

  /** @param isKeepAlive whether to include backends of which only `RESTLESS` values have changed */
  read(slowed: boolean, isKeepAlive: boolean): SharedFrame {
    const { locks: total, waiting, counts } = this.table.groups.sum();
    const { namespaces } = this.table.groups;
    const backends = this.healths();
    const { last } = this;
    const frame = {
      counts: reuseIfEqual(last?.counts, counts, JSON.stringify),
      total,
      waiting,
      namespaces: reuseIfEqual(last?.namespaces, namespaces, JSON.stringify),
      backends: isKeepAlive ? backends : reuseIfEqual(last?.backends, backends, stableText),
      slowed,
      asOf: this.now(),
    };
    this.last = frame;
    return frame;
  }
}

function reuseIfEqual<V>(before: V | undefined, now: V, textOf: (value: V) => string): V {
  return before !== undefined && textOf(before) === textOf(now) ? before : now;
}

const stableText = (healths: BackendHealth[]) =>
  JSON.stringify(healths, (key, value: unknown) => (VOLATILE.has(key) ? undefined : value));
