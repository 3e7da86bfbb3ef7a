import { recordId } from '../backends/record-id';
import type { RecordKey, StoredRecord } from '../backends/record-store';
import type { KnownRecords } from './known-records';
import { type KnownAny, machineOf } from './machine';

/** What was read, opened; the remembered one where it is the same. Throws for a text that no version of ours wrote. */
export function openRecord(
  known: KnownRecords,
  key: RecordKey,
  read: StoredRecord | null,
): KnownAny | null {
  const kept = known.get(recordId(key));
  const isSame = read && kept?.writer === read.writer && kept.record.rev === read.rev;
  return isSame ? kept : read && machineOf(key).decode(read);
}
