import { LibsqlError } from '@libsql/client';
import { causes } from '../database-failure';

/** Whether a job wrote nothing because another program held the lock. Drivers wrap errors. */
export const isBusy = (error: unknown): boolean =>
  causes(error).some((each) => each instanceof LibsqlError && /^SQLITE_BUSY/.test(each.code));
