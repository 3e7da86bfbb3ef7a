import { databaseFailure } from '@/db/database-failure';

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
