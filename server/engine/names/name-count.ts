import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';

/** A name created here stops counting if the projection still lacks it after this time. */
const LISTED_WITHIN_MS = 30_000;

/** The number of locks and counters of a namespace. */
export interface NameTally {
  locks: number;
  counters: number;
}

/** Ids of names created here that the projection has not shown yet, by namespace. */
type UnlistedNames = Map<string, Set<string>>;

/** Learns of the records that the engine creates. */
export interface NewNameObserver {
  /** Called before a write that creates a record; `finished` reports the outcome. */
  creating(key: RecordKey): void;
  /** @param isCreated whether the write certainly created it; else it counts once projected */
  finished(key: RecordKey, isCreated: boolean): void;
}

/**
 * The number of names of each namespace as far as this process knows: those in its projection, and
 * those that it is creating or has created and that the projection has not read yet. Counting never
 * reads a backend.
 *
 * Exact for a single process, except for names that are deleted while they are created. Names that
 * another process creates count once the projection has read them, usually within 150 ms.
 */
export class NameCount implements NewNameObserver {
  private readonly listed = new Map<string, NameTally>();
  /** Names that are being created. */
  private readonly underWay: UnlistedNames = new Map();
  private recent: UnlistedNames = new Map();
  private recentBefore: UnlistedNames = new Map();
  private rotatedAt: number;

  constructor(private readonly monotonic: () => number) {
    this.rotatedAt = monotonic();
  }

  /** The number of names of a namespace in the projection. */
  of(namespace: string): NameTally {
    const { locks = 0, counters = 0 } = this.listed.get(namespace) ?? {};
    return { locks, counters };
  }

  namespaces(): string[] {
    return [...this.listed.keys()];
  }

  /** The number of names of a namespace, including those that the projection lacks. */
  total(namespace: string): number {
    this.rotate();
    const { locks = 0, counters = 0 } = this.listed.get(namespace) ?? {};
    const unlisted =
      (this.recent.get(namespace)?.size ?? 0) + (this.recentBefore.get(namespace)?.size ?? 0);
    return locks + counters + unlisted + (this.underWay.get(namespace)?.size ?? 0);
  }

  /** Called when the projection has a new name, whose creation may not be `finished` yet. */
  appeared(key: RecordKey): void {
    this.add(key, 1);
    const id = recordId(key);
    this.endCreating(key);
    this.recent.get(key.namespace)?.delete(id);
    this.recentBefore.get(key.namespace)?.delete(id);
  }

  /** Called when the projection no longer has a name. */
  vanished(key: RecordKey): void {
    this.add(key, -1);
  }

  creating(key: RecordKey): void {
    const names = this.underWay.get(key.namespace) ?? new Set();
    this.underWay.set(key.namespace, names.add(recordId(key)));
  }

  finished(key: RecordKey, isCreated: boolean): void {
    const { namespace } = key;
    const isUnlisted = this.endCreating(key);
    if (!isCreated || !isUnlisted) return;
    this.rotate();
    const recent = this.recent.get(namespace) ?? new Set();
    this.recent.set(namespace, recent.add(recordId(key)));
  }

  /** Returns whether the name was still being created: then the projection lacks it. */
  private endCreating(key: RecordKey): boolean {
    const names = this.underWay.get(key.namespace);
    const wasUnderWay = names?.delete(recordId(key)) ?? false;
    if (names?.size === 0) this.underWay.delete(key.namespace);
    return wasUnderWay;
  }

  private add({ namespace, kind }: RecordKey, by: 1 | -1): void {
    const tally = this.listed.get(namespace) ?? { locks: 0, counters: 0 };
    if (kind === 'counter') tally.counters += by;
    else tally.locks += by;
    if (tally.locks + tally.counters > 0) this.listed.set(namespace, tally);
    else this.listed.delete(namespace);
  }

  private rotate(): void {
    const now = this.monotonic();
    const passedMs = now - this.rotatedAt;
    if (passedMs < LISTED_WITHIN_MS) return;
    this.rotatedAt = now;
    this.recentBefore = passedMs < 2 * LISTED_WITHIN_MS ? this.recent : new Map();
    this.recent = new Map();
  }
}
