import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { RunFoot } from './run-foot';

const footOf = (missing: string[], isBusy = false) =>
  renderToString(
    createElement(RunFoot, {
      isBusy,
      isOver: false,
      silentSince: null,
      missing,
      action: 'Delete 3 locks',
      busyLabel: 'Deleting…',
      cancel: { current: null },
      onClose: () => undefined,
      onRun: () => undefined,
    }),
  ).replaceAll('<!-- -->', '');

test('a dialog says what is missing while its act is not possible, and nothing after that', () => {
  const incomplete = footOf(['number to delete', 'reason']);
  expect(incomplete).toContain('Required: number to delete, reason');
  expect(incomplete).toMatch(/<button[^>]*disabled=""[^>]*>Delete 3 locks/);
  expect(footOf([])).not.toContain('Required');
  expect(footOf([])).not.toContain('disabled');
  expect(footOf(['reason'], true)).not.toContain('Required');
});
