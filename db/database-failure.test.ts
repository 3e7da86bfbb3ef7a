import { expect, test } from 'vitest';
import { databaseFailure } from './database-failure';

const FULL = 'The control database or its disk is full: it takes no writes.';
const READ_ONLY = 'The control database is read-only: it takes no writes.';

test.each([
  [{ code: 'SQLITE_FULL' }, FULL],
  [{ code: 'ER_RECORD_FILE_FULL', errno: 1114 }, FULL],
  [{ code: 'SQLITE_READONLY' }, READ_ONLY],
  [{ code: 'ER_READ_ONLY_MODE', errno: 1836 }, READ_ONLY],
  [{ errno: 1290, message: 'The server is running with the --read-only option' }, READ_ONLY],
  [{ errno: 1290, message: 'An option prevents this' }, 'The control database does not answer.'],
  [{ code: 'ECONNREFUSED' }, 'The control database does not answer.'],
])('a database that answers, but takes no writes, is not said to be silent: %j', (of, message) => {
  const error = new Error('Failed query', { cause: Object.assign(new Error(), of) });
  expect(databaseFailure(error, 'no')).toMatchObject({ reason: 'BACKEND_DOWN', message });
});
