import { recordId } from '../../storage/record-id';
import type { RecordKey, StoredRecord } from '../../storage/record-store';
import { recordTypeOf } from '../record-type';
import type { CacheEntry, RecordCache } from './record-cache';

/**
 * Keeps in mind what was read, opened; the remembered one where it is the same. Throws for a text
 * that no version of ours wrote.
 */
export function cacheRecord(
  known: RecordCache,
  key: RecordKey,
  read: StoredRecord | null,
): CacheEntry {
  const entry = known.entryOf(recordId(key));
  const cached = entry.known;
  const isSame = read && cached?.writer === read.writer && cached.record.rev === read.rev;
  if (!isSame) entry.known = read && recordTypeOf(key).decode(read);
  return entry;
}
