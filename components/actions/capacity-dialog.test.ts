import { expect, it } from 'vitest';
import { changedText } from './capacity-dialog';

it('a capacity that this very act may have set is not said to be in its way', () => {
  expect(changedText(8, false)).toBe('The capacity is 8 now. Not applied.');
  expect(changedText(8, true)).toBe('The capacity is 8 now.');
  const none = 'No permits are held or waited for any more, so there is no capacity.';
  expect(changedText(null, false)).toBe(`${none} Not applied.`);
  expect(changedText(null, true)).toBe(none);
});
