import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';

/**
 * What was made here and is not on the board after so long is not counted any more: the board has
 * seen that it is gone.
 */
const SEEN_WITHIN_MS = 30_000;

/** How many locks and counters a namespace has. */
export interface NameTally {
  locks: number;
  counters: number;
}

/** Names made by this process, by namespace, that its board has not shown yet. */
type Made = Map<string, Set<string>>;

/** What the engine reports of the records that it makes. */
export interface NewNames {
  /** A record is about to be made by a write whose outcome `settled` tells. */
  making(key: RecordKey): void;
  /** @param isMade this write made it; one that may have is counted when the board shows it */
  settled(key: RecordKey, isMade: boolean): void;
}

/**
 * How many names each namespace has, as far as this process knows: those on its board, and those
 * that it is making or has made and that the board has not read yet. Asking costs no look at any
 * backend, whatever the number.
 *
 * Exact for a single process, but for names that are deleted while they are made. With several,
 * what another process made is counted when the board has read it, usually within 150 ms.
 */
export class NameCount implements NewNames {
  private readonly shown = new Map<string, NameTally>();
  private readonly underWay = new Map<string, number>();
  private made: Made = new Map();
  private madeBefore: Made = new Map();
  private turnedAt: number;

  constructor(private readonly monotonic: () => number) {
    this.turnedAt = monotonic();
  }

  /** On the board. */
  of(namespace: string): NameTally {
    const { locks = 0, counters = 0 } = this.shown.get(namespace) ?? {};
    return { locks, counters };
  }

  namespaces(): string[] {
    return [...this.shown.keys()];
  }

  /** All of them, with those that the board has not shown yet. */
  total(namespace: string): number {
    this.turn();
    const { locks = 0, counters = 0 } = this.shown.get(namespace) ?? {};
    const unseen =
      (this.made.get(namespace)?.size ?? 0) + (this.madeBefore.get(namespace)?.size ?? 0);
    return locks + counters + unseen + (this.underWay.get(namespace) ?? 0);
  }

  /** The board shows a name that it did not show before. */
  appeared(key: RecordKey): void {
    this.add(key, 1);
    const id = recordId(key);
    this.made.get(key.namespace)?.delete(id);
    this.madeBefore.get(key.namespace)?.delete(id);
  }

  /** The board shows a name no longer. */
  vanished(key: RecordKey): void {
    this.add(key, -1);
  }

  making({ namespace }: RecordKey): void {
    this.underWay.set(namespace, (this.underWay.get(namespace) ?? 0) + 1);
  }

  settled(key: RecordKey, isMade: boolean): void {
    const { namespace } = key;
    const left = (this.underWay.get(namespace) ?? 1) - 1;
    if (left > 0) this.underWay.set(namespace, left);
    else this.underWay.delete(namespace);
    if (!isMade) return;
    this.turn();
    const made = this.made.get(namespace) ?? new Set();
    this.made.set(namespace, made.add(recordId(key)));
  }

  private add({ namespace, kind }: RecordKey, by: 1 | -1): void {
    const tally = this.shown.get(namespace) ?? { locks: 0, counters: 0 };
    if (kind === 'counter') tally.counters += by;
    else tally.locks += by;
    if (tally.locks + tally.counters > 0) this.shown.set(namespace, tally);
    else this.shown.delete(namespace);
  }

  private turn(): void {
    const now = this.monotonic();
    const passedMs = now - this.turnedAt;
    if (passedMs < SEEN_WITHIN_MS) return;
    this.turnedAt = now;
    this.madeBefore = passedMs < 2 * SEEN_WITHIN_MS ? this.made : new Map();
    this.made = new Map();
  }
}
