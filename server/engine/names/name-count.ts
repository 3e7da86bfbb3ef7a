import { MULTI_LOCK_MAX } from '../../contract/multi-lock';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { OWN_NAMESPACE } from '../membership';

/** Names created here that the projection still lacks after this time no longer count. */
const LISTED_WITHIN_MS = 30_000;

/** How many locks and counters a namespace has. */
export interface NameTally {
  locks: number;
  counters: number;
}

/** Ids of names created here that the projection has not shown yet, by namespace. */
type UnlistedNames = Map<string, Set<string>>;

/** Receives the records that the engine creates. */
export interface NewNameObserver {
  /** A record is about to be created by a write, whose outcome `finished` reports. */
  creating(key: RecordKey): void;
  /** @param isMade whether this write certainly created it; else it counts once it is projected */
  finished(key: RecordKey, isMade: boolean): void;
}

/**
 * How many names each namespace has, as far as this process knows: those in its projection, and
 * those that it is creating or has created and that the projection has not read yet. A count reads
 * no backend, however many names there are.
 *
 * Exact for a single process, except for names that are deleted while they are created. With
 * several, names of another process count once the projection has read them, usually within 150 ms.
 */
export class NameCount implements NewNameObserver {
  private readonly listed = new Map<string, NameTally>();
  /** Names being created. */
  private readonly underWay: UnlistedNames = new Map();
  private recent: UnlistedNames = new Map();
  private recentBefore: UnlistedNames = new Map();
  private rotatedAt: number;

  constructor(private readonly monotonic: () => number) {
    this.rotatedAt = monotonic();
  }

  /** How many names of a namespace the projection shows. */
  of(namespace: string): NameTally {
    const { locks = 0, counters = 0 } = this.listed.get(namespace) ?? {};
    return { locks, counters };
  }

  namespaces(): string[] {
    return [...this.listed.keys()];
  }

  /** How many names a namespace has, including those that the projection has not shown yet. */
  total(namespace: string): number {
    this.rotate();
    const { locks = 0, counters = 0 } = this.listed.get(namespace) ?? {};
    const unlisted =
      (this.recent.get(namespace)?.size ?? 0) + (this.recentBefore.get(namespace)?.size ?? 0);
    return locks + counters + unlisted + (this.underWay.get(namespace)?.size ?? 0);
  }

  /** The projection shows a new name; its creation may not be `finished` yet. */
  appeared(key: RecordKey): void {
    this.add(key, 1);
    const id = recordId(key);
    this.endMaking(key);
    this.recent.get(key.namespace)?.delete(id);
    this.recentBefore.get(key.namespace)?.delete(id);
  }

  /** The projection no longer shows a name. */
  vanished(key: RecordKey): void {
    this.add(key, -1);
  }

  creating(key: RecordKey): void {
    const names = this.underWay.get(key.namespace) ?? new Set();
    this.underWay.set(key.namespace, names.add(recordId(key)));
  }

  finished(key: RecordKey, isMade: boolean): void {
    const { namespace } = key;
    const isUnlisted = this.endMaking(key);
    if (!isMade || !isUnlisted) return;
    this.rotate();
    const recent = this.recent.get(namespace) ?? new Set();
    this.recent.set(namespace, recent.add(recordId(key)));
  }

  /** Returns whether the name was still being created: then the projection has not shown it. */
  private endMaking(key: RecordKey): boolean {
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

/** Why new names are refused, if they are. */
export class NameCapacity {
  /**
   * @param names how many names a namespace has
   * @param isShortOfMemory whether this process has too little memory to keep more records
   */
  constructor(
    private readonly names: { total(namespace: string): number },
    private readonly isShortOfMemory: () => boolean,
  ) {}

  /** The reason, as a sentence for callers; null if there is room. Own names always have room. */
  refusal(namespace: string, maxLocks: number): string | null {
    if (namespace === OWN_NAMESPACE) return null;
    if (this.isShortOfMemory()) return SHORT_OF_MEMORY;
    const total = this.names.total(namespace);
    if (total < maxLocks) return null;
    return (
      `The namespace "${namespace}" is full: its policy allows ${maxLocks}, and it has ${total}, ` +
      'locks and counters together. Existing ones keep working.'
    );
  }

  /** How many more names a namespace may have; null: more than any multi-lock needs. */
  roomFor(namespace: string, maxLocks: number): number | null {
    const room = maxLocks - this.names.total(namespace);
    return room < MULTI_LOCK_MAX && namespace !== OWN_NAMESPACE ? Math.max(0, room) : null;
  }
}

const SHORT_OF_MEMORY =
  'This server is short of memory, so it creates no new locks and counters. ' +
  'Existing ones keep working.';
