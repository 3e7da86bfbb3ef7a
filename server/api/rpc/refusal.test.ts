import { TRPCError } from '@trpc/server';
import { expect, test } from 'vitest';
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
