import { expect, test } from 'vitest';
import { unknownBecause } from './holder-figures';
import type { ProcessRow } from './holder-rows';

const row = (silentBackends: string[], state?: 'alive') =>
  ({ holds: 1, silentBackends, verdict: state ? { state } : null }) as ProcessRow;

test('a silent backend is named as the reason only for processes that hold locks on it', () => {
  expect(unknownBecause([row([]), row([], 'alive')])).toBe('no recent evidence');
  expect(unknownBecause([row(['orders']), row([])])).toBe('no recent evidence');
  expect(unknownBecause([row(['orders']), row(['orders']), row([], 'alive')])).toBe(
    'orders not responding',
  );
  expect(unknownBecause([])).toBe('no recent evidence');
});
