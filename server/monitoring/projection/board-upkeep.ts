import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { counterRowId } from './counter-projection';
import type { LockBoard, ObservedBackend } from './lock-projection';
import { type BoardRow, rowId } from './projection-row';
import { publicId } from './shard-info';

/** Every lock as the board read it last. */
export function keptLocks(board: Pick<LockBoard, 'table'>): Iterable<BoardRow> {
  return board.table.all();
}

/**
 * Takes records off the board that were deleted: that leaves no history by which it would learn of
 * it.
 */
export function takeOff(board: LockBoard, backend: ObservedBackend, keys: RecordKey[]): void {
  for (const key of keys) {
    if (key.kind === 'counter') board.counters.table.forget(counterRowId(publicId(backend), key));
    else board.forget(rowId(publicId(backend), recordId(key)));
  }
  if (keys.length > 0) board.tell();
}

/**
 * Whether a backend has been read, with all of its shards.
 *
 * @param id as people and programs know it
 */
export function isRead(
  board: Pick<LockBoard, 'lookedAt'>,
  backends: ObservedBackend[],
  id: string,
): boolean {
  const parts = backends.filter((backend) => publicId(backend) === id);
  return parts.length > 0 && parts.every((part) => board.lookedAt.has(part.id));
}
