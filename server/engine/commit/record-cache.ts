import type { RecordKey, StoredRecord } from '../../storage/record-store';
import { type AnyKnownRecord, recordTypeOf } from '../record-type';

/** An entry of the record cache. Code may keep the entry, to look a record up only once. */
export interface CacheEntry {
  /** Null: nothing is known of it. */
  known: AnyKnownRecord | null;
}

interface EvictableEntry extends CacheEntry {
  /** Asked for again since it last came to be forgotten. */
  isInUse: boolean;
}

/**
 * Records as this process last saw or wrote them; those not touched for long are forgotten. One of
 * them may only propose a swap: another process may have changed it since.
 *
 * Which one is forgotten: the page replacement called "second chance" (Corbató, 1968). The oldest
 * goes, unless it was asked for meanwhile; then it counts as new. So touching one moves nothing.
 */
export class RecordCache {
  /** The oldest first. */
  private readonly entries = new Map<string, EvictableEntry>();
  /**
   * Where the search for the oldest goes on: one that began at the front each time would pass every
   * hole that was left there. Null where entries were removed since: it would keep them in memory.
   */
  private oldest: MapIterator<[string, EvictableEntry]> | null = null;

  /** @param capacity how many are kept at most */
  constructor(private readonly capacity: number) {}

  /** What is known, without making room for it. */
  get(id: string): AnyKnownRecord | null {
    return this.entries.get(id)?.known ?? null;
  }

  entryOf(id: string): CacheEntry {
    const entry = this.entries.get(id);
    if (entry) {
      entry.isInUse = true;
      return entry;
    }
    if (this.entries.size >= this.capacity) this.evictOldest();
    const fresh: EvictableEntry = { known: null, isInUse: false };
    this.entries.set(id, fresh);
    return fresh;
  }

  /**
   * Caches what was read, decoded; keeps an equal cached record. Throws for a foreign text.
   *
   * @param id `recordId(key)`
   */
  update(id: string, key: RecordKey, read: StoredRecord | null): CacheEntry {
    const entry = this.entryOf(id);
    const cached = entry.known;
    const isSame = read && cached?.writer === read.writer && cached.record.rev === read.rev;
    if (!isSame) entry.known = read && recordTypeOf(key).decode(read);
    return entry;
  }

  evict(id: string): void {
    this.entries.delete(id);
    this.oldest = null;
  }

  private evictOldest(): void {
    for (;;) {
      this.oldest ??= this.entries.entries();
      const { done, value } = this.oldest.next();
      if (done) this.oldest = null;
      else {
        const [id, place] = value;
        this.entries.delete(id);
        if (!place.isInUse) return;
        place.isInUse = false;
        this.entries.set(id, place);
      }
    }
  }
}
