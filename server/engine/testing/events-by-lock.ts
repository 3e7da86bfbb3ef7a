import type { LockEvent } from '../../core/lock/lock-event';
import type { Store } from '../../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../../storage/record-store';

/** Every event of these records as they were written. */
export async function eventsByLock(
  store: Store,
  keys: RecordKey[],
): Promise<Map<string, LockEvent[]>> {
  const found = new Map<string, LockEvent[]>(keys.map(({ name }) => [name, []]));
  for (let after = 0; ; ) {
    const rows = await store.historyAfter(after, 500);
    if (rows.length === 0) break;
    for (const { id, changes } of rows) {
      after = id;
      for (const { key, events } of changes) {
        found.get(key.name)?.push(...(events as LockEvent[]));
      }
    }
  }
  for (const events of found.values()) events.sort((a, b) => a.rev - b.rev);
  return found;
}
