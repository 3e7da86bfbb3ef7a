import { databaseFailure } from '@/db/database-failure';
import type { LockyardError } from '../contract/errors';

/** Runs reads of the control database, or repeatable work; throws `BACKEND_DOWN` if it is down. */
export async function askDatabase<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw databaseFailure(error, 'no') ?? error;
  }
}

/**
 * The refusal for a caller whose operation failed because the control database is not responding;
 * null for any other failure.
 *
 * @param call queries and subscriptions change nothing; any other call may have changed something
 */
export function databaseRefusal(
  error: unknown,
  call: 'query' | 'subscription' | 'mutation' | 'unknown',
): LockyardError | null {
  return databaseFailure(error, call === 'query' || call === 'subscription' ? 'no' : 'unknown');
}
