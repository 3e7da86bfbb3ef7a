import type { Change } from '../../record-store';
import { quote } from './sql-text';

/**
 * The condition that no answer is stored to the requests of these changes that must have none; an
 * empty list where there are no such requests. It holds until the commit if it held at any time
 * after the expected record was written: an answer is stored only with a change of that record.
 */
export function isUnanswered(changes: Pick<Change, 'unanswered'>[]): string[] {
  const keys = changes.flatMap(({ unanswered = [] }) => unanswered);
  if (keys.length === 0) return [];
  const ids = keys.map((key) => quote(key));
  return [`NOT EXISTS (SELECT 1 FROM lock_requests WHERE id IN (${ids}))`];
}
