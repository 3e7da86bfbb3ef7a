import { expect, it } from 'vitest';
import { leftAfter } from './use-deletion';

it('of a name that a later request deleted or kept again, only the last result is shown', () => {
  const changed = { name: 'a', outcome: 'changed' } as const;
  const kept = { name: 'b', outcome: 'kept', because: 'held' } as const;
  const left = leftAfter([], [changed, kept]);
  expect(left).toEqual([changed, kept]);
  expect(leftAfter(left, [{ name: 'a', outcome: 'deleted' }, kept])).toEqual([kept]);
});
