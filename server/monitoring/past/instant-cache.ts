/**
 * How many instants are kept, and how many locks they may have together; the latest is kept
 * whatever its size.
 */
const INSTANTS_MAX = 4;
const LOCKS_MAX = 50_000;

/** An instant that no page has requested in this time is forgotten. */
const KEPT_FOR_MS = 60_000;

interface CachedInstant<Reading> {
  reading: Promise<Reading>;
  /** 0 until it is read. */
  locks: number;
  /** Null until it is read. */
  forgetting: NodeJS.Timeout | null;
}

/**
 * Instants of the past as they were read, shared by all viewers. A lock takes over a kilobyte in
 * each of them, in the process that grants locks, so a large fleet is kept once, and not for long.
 */
export class InstantCache<Reading extends { locks: number }> {
  /** By instant, in the order of the last request. */
  private readonly instants = new Map<number, CachedInstant<Reading>>();

  /** The reading of an instant, then kept for another minute; undefined: it has to be read. */
  get(at: number): Promise<Reading> | undefined {
    const known = this.instants.get(at);
    if (!known) return undefined;
    known.forgetting?.refresh();
    this.instants.delete(at);
    this.instants.set(at, known);
    return known.reading;
  }

  /** Keeps a reading that has begun, unless it fails. */
  keep(at: number, reading: Promise<Reading>): void {
    this.forget(at);
    const cached: CachedInstant<Reading> = { reading, locks: 0, forgetting: null };
    this.instants.set(at, cached);
    this.trim();
    const isKept = () => this.instants.get(at) === cached;
    reading.then(
      ({ locks }) => {
        if (!isKept()) return;
        cached.locks = locks;
        cached.forgetting = setTimeout(() => this.forget(at), KEPT_FOR_MS).unref();
        this.trim();
      },
      () => {
        if (isKept()) this.forget(at);
      },
    );
  }

  forget(at: number): void {
    clearTimeout(this.instants.get(at)?.forgetting ?? undefined);
    this.instants.delete(at);
  }

  private trim(): void {
    let locks = 0;
    for (const [i, [at, cached]] of [...this.instants].reverse().entries()) {
      locks += cached.locks;
      if (i > 0 && (i >= INSTANTS_MAX || locks > LOCKS_MAX)) this.forget(at);
    }
  }
}
