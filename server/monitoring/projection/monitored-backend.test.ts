import { expect, test } from 'vitest';
import { notServing } from './monitored-backend';

test('an error says why a backend rejects requests, not that it is not responding', () => {
  const effect = 'so nothing can be deleted on it.';
  expect(notServing({ id: 'cache' }, effect).message).toBe(
    'The backend "cache" is not responding, so nothing can be deleted on it.',
  );
  expect(notServing({ id: 'cache', refusal: 'It is full.' }, effect)).toMatchObject({
    reason: 'BACKEND_DOWN',
    message: 'The backend "cache" rejects requests, so nothing can be deleted on it. It is full.',
  });
});
