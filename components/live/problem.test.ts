import { expect, it } from 'vitest';
import { readFailureTitle } from './problem';

it('a read that failed is not said to show nothing where older data is shown', () => {
  expect(readFailureTitle(undefined, 'incidents')).toBe('Could not load incidents');
  expect(readFailureTitle({ pages: [] }, 'incidents')).toBe('Showing last known data');
});
