import { TRPCError } from '@trpc/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { meta } from '../../contract/primitives';
import { errorShape, refusalOf } from './refusal';

test('an unexpected failure reveals nothing to its caller', () => {
  const failures = [
    new Error("Access denied for user 'root'@'10.0.0.7' to /var/lib/lockyard/lockyard.db"),
    Object.assign(new Error('select password_hash from users'), { sql: 'select', errno: 1 }),
    new TypeError('row.passwordHash is not a function'),
    'a thrown text',
  ];
  for (const cause of failures) {
    const error = new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause });
    const shape = errorShape(refusalOf(error, 'query'), { path: 'x', requestId: 'r1' });
    expect(shape).toEqual({
      message: 'Something went wrong on our side. See the server log.',
      code: -32603,
      data: {
        code: 'INTERNAL_SERVER_ERROR',
        httpStatus: 500,
        reason: 'INTERNAL',
        path: 'x',
        requestId: 'r1',
      },
    });
  }
});

test.each([
  [{ '': 'x' }, 'meta: a key must be a text of 1 to 100 bytes of UTF-8'],
  [{ ['k'.repeat(1_000)]: 'x' }, 'meta: a key must be a text of 1 to 100 bytes of UTF-8'],
])('a bad key in meta is refused with what is wrong with it', (value, message) => {
  const cause = z.object({ meta }).safeParse({ meta: value }).error;
  const refusal = refusalOf(new TRPCError({ code: 'BAD_REQUEST', cause }), 'mutation');
  expect(refusal.reason).toBe('INVALID');
  expect(refusal.message).toContain(message);
});
