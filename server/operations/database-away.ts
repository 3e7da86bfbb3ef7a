import { databaseFailure } from '@/db/database-failure';
import type { LockyardError } from '../contract/errors';

/**
 * What it means to a caller when an operation failed because the control database is away; null if
 * that was not why.
 *
 * @param call queries and subscriptions change nothing; of any other it is not known
 */
export function databaseRefusal(
  error: unknown,
  call: 'query' | 'subscription' | 'mutation' | 'unknown',
): LockyardError | null {
  return databaseFailure(error, call === 'query' || call === 'subscription' ? 'no' : 'unknown');
}
