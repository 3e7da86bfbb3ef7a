import { expect, it } from 'vitest';
import { problemOf } from '../live/problem';
import { notSaved, resultMessage } from './action-results';

const messageOf = (error: unknown) =>
  resultMessage({ ...notSaved(problemOf(error)), id: 1, lockId: 'l', effect: null }, 0, 0);

it('of what was sent and not answered it is not said that it was not saved', () => {
  const refused = Object.assign(new Error('Only operators may.'), {
    data: { reason: 'FORBIDDEN' },
  });
  expect(messageOf(refused)).toBe('Not saved. Only operators may.');
  expect(messageOf(new Error('Failed to fetch'))).toBe(
    'It is not known whether this was saved. Server not responding.',
  );
});
