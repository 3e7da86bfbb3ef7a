import type { RecordKey, StoredRecord } from '../../storage/record-store';
import { type AnyKnownRecord, recordTypeOf } from '../record-type';

/** An entry of the record cache. Code may keep the entry, to look a record up only once. */
export interface CacheEntry {
  /** Null: nothing is known of it. */
  known: AnyKnownRecord | null;
}

interface EvictableEntry extends CacheEntry {
  /** Used since it was added, or since the search for an entry to evict last passed it. */
  isInUse: boolean;
}

/**
 * Records as this process last saw or wrote them. Another process may have changed one since, so a
 * cached record may only be used to propose a swap.
 *
 * When the cache is full, the oldest entry is evicted, unless it was used since: then it counts as
 * new (page replacement by "second chance", Corbató, 1968). So a use of an entry moves nothing.
 */
export class RecordCache {
  /** The oldest first. */
  private readonly entries = new Map<string, EvictableEntry>();
  /**
   * Where the search for the oldest entry continues: from the front, it would pass every hole that
   * evictions have left. Null after other removals: the iterator would keep those in memory.
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
   * Decodes and caches a record that was read; keeps a cached record of the same version. Throws
   * for a text that no version of Lockyard wrote.
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
