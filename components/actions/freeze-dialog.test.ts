import { expect, it } from 'vitest';
import { freezeChange } from './freeze-dialog';

const ada = { by: 'Ada', reason: 'repair', at: 1_000 };

it('a freeze that the operator has not seen is never lifted', () => {
  expect(freezeChange(ada, { ...ada })).toBeNull();
  expect(freezeChange(null, null)).toBeNull();
  expect(freezeChange(ada, { by: 'Ben', reason: 'audit', at: 2_000 })).toBe(
    'It was frozen again by Ben: “audit”.',
  );
});

it('the dialog says if the lock was frozen or unfrozen meanwhile', () => {
  expect(freezeChange(null, ada)).toBe('It is frozen by Ada: “repair”.');
  expect(freezeChange(ada, null)).toBe('It is no longer frozen.');
});
