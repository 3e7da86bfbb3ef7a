import { expect, it } from 'vitest';
import { counterSentence } from './alert-sentence';

it('the sentence of a counter writes its numbers as the console does', () => {
  expect(counterSentence({ value: 1_204, floor: 0, ceiling: 10_000 })).toBe(
    'Value 1,204; floor 0, ceiling 10,000.',
  );
  expect(counterSentence({ value: -1, floor: null, ceiling: 0 })).toBe('Value −1; ceiling 0.');
});
