import { expect, test } from 'vitest';
import { alertsLabel } from './bell-label';

test('the label does not claim that there are no alerts before they were read', () => {
  const plain = (text: string) => text.replaceAll('\u00a0', ' ');
  expect(alertsLabel({ firing: 0, failing: 0 }, false)).toBe('Alerts: 0 firing');
  expect(alertsLabel(undefined, false)).toBe('Alerts');
  expect(alertsLabel(undefined, true)).toBe('Alerts: could not be read');
  expect(plain(alertsLabel({ firing: 2, failing: 1 }, true))).toBe(
    'Alerts: 2 firing, 1 receiver not reached, last known',
  );
});
