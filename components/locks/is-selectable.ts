import type { LockRow } from '@/server/contract/console/lock-row';
import { isNameable } from '../deletion/selection';

/** Whether a row has a checkbox: it looks free. What may be deleted is decided by the server. */
export const isSelectable = (row: LockRow): boolean =>
  row.status === 'free' && row.rev > 0 && isNameable(row);
