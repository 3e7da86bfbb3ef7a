import { recordId } from '../../storage/record-id';
import type { RecordKey, StoredRecord } from '../../storage/record-store';
import { machineOf } from '../record-type';
import type { KnownPlace, KnownRecords } from './record-cache';

/**
 * Keeps in mind what was read, opened; the remembered one where it is the same. Throws for a text
 * that no version of ours wrote.
 */
export function openRecord(
  known: KnownRecords,
  key: RecordKey,
  read: StoredRecord | null,
): KnownPlace {
  const place = known.at(recordId(key));
  const kept = place.known;
  const isSame = read && kept?.writer === read.writer && kept.record.rev === read.rev;
  if (!isSame) place.known = read && machineOf(key).decode(read);
  return place;
}
