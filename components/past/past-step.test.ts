import { expect, test } from 'vitest';
import { findStep } from './past-step';

test('a step to a change that cannot be found says why', async () => {
  expect(await findStep('next', async () => ({ at: 5 }))).toEqual({ at: 5, note: '' });
  const none = { at: null, note: 'No later change found nearby.' };
  expect(await findStep('next', async () => ({ at: null }))).toEqual(none);
  const offline = () => Promise.reject(new Error('Failed to fetch'));
  expect(await findStep('previous', offline)).toEqual({
    at: null,
    note: 'Could not find the previous change. Server not responding.',
  });
});
