import type { ReadRecord, RecordKey } from '../../storage/record-store';
import type { EngineContext } from '../engine-context';
import { cacheFound } from './cache-found';
import { readOnce } from './read-records';

/**
 * Reads records that another process has changed, and caches them.
 *
 * @throws StoreError
 */
export async function rereadRecords(
  context: EngineContext,
  keys: RecordKey[],
): Promise<ReadRecord[]> {
  const { records } = await readOnce(context, keys, []);
  for (const { key, record } of records) if (record) cacheFound(context, key, record);
  return records;
}
