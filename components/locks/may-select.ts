import type { LockRow } from '@/server/contract/console/lock-row';

/** Whether a row has a checkbox: it looks free. What may be deleted is decided by the server. */
export const maySelect = ({ status, rev, name }: LockRow): boolean =>
  // A deletion takes names one a line.
  status === 'free' && rev > 0 && !name.includes('\n');
