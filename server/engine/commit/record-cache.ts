import type { RecordKey, StoredRecord } from '../../storage/record-store';
import { type AnyKnownRecord, recordTypeOf } from '../record-type';

/** An entry of the record cache. Code may keep it, so as to look a record up only once. */
export interface CacheEntry {
  /** Null: the record is not cached. */
  known: AnyKnownRecord | null;
}

interface EvictableEntry extends CacheEntry {
  /** Whether it was used since it was added, or since the search for the oldest last passed it. */
  isInUse: boolean;
}

/**
 * Records as this process last read or wrote them. Another process may have changed one since, so a
 * cached record must only be used to propose a swap.
 *
 * When the cache is full, the oldest entry is evicted, unless it was used since: then it counts as
 * new ("second chance" page replacement, Corbató, 1968). So using an entry does not move it.
 */
export class RecordCache {
  /** Oldest first. */
  private readonly entries = new Map<string, EvictableEntry>();
  /**
   * Where the search for the oldest entry continues: a search from the front would pass every hole
   * that evictions have left. Null after other removals, which the iterator would keep in memory.
   */
  private oldest: MapIterator<[string, EvictableEntry]> | null = null;

  /** @param capacity the most records to keep */
  constructor(private readonly capacity: number) {}

  /** The cached record, if any, without adding an entry. */
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
   * Decodes and caches a record that was read; keeps a cached record of the same version. Throws if
   * no version of Lockyard can have written the text.
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
