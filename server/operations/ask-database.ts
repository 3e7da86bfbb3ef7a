import { databaseFailure } from '@/db/database-failure';
import type { LockyardError } from '../contract/errors';

/**
 * Runs what reads the control database or can be safely repeated; throws `BACKEND_DOWN` while the
 * database is away.
 */
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
 * @param call queries and subscriptions change nothing; of any other it is not known
 */
export function databaseRefusal(
  error: unknown,
  call: 'query' | 'subscription' | 'mutation' | 'unknown',
): LockyardError | null {
  return databaseFailure(error, call === 'query' || call === 'subscription' ? 'no' : 'unknown');
}
