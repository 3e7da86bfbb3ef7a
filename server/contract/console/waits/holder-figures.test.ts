import { expect, test } from 'vitest';
import type { BackendHealth } from '../backend-health';
import { unknownBecause } from './holder-figures';
import type { ProcessRow } from './holder-rows';

const row = (silentBackends: string[], state?: 'alive') =>
  ({ holds: 1, silentBackends, verdict: state ? { state } : null }) as ProcessRow;

const because = (rows: ProcessRow[], backends: BackendHealth[] = []) =>
  unknownBecause({ rows, backends });

test('a silent backend is named as the reason only for processes that hold locks on it', () => {
  expect(because([row([]), row([], 'alive')])).toBe('no recent evidence');
  expect(because([row(['orders']), row([])])).toBe('no recent evidence');
  expect(because([row(['orders']), row(['orders']), row([], 'alive')])).toBe(
    'orders not responding',
  );
  expect(because([])).toBe('no recent evidence');
  const rejecting = { id: 'orders', reachable: false, refusal: 'It is full.' } as BackendHealth;
  expect(because([row(['orders'])], [rejecting])).toBe('orders rejecting requests');
});
