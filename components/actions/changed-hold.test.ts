import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { LockRow } from '@/server/contract/console/lock-row';
import { ChangedHold } from './action-dialog';

function changedText(cause: 'released' | 'superseded'): string {
  const row = { backend: 'main' } as LockRow;
  const end = { cause, at: 0 };
  const html = renderToString(createElement(ChangedHold, { end, row, isUnclear: false }));
  return html.replace(/<[^>]*>/g, '');
}

test('of an end that is not recorded, a dialog says neither when nor how it came', () => {
  expect(changedText('superseded')).toContain(
    'The hold you were viewing has ended (how is not recorded).',
  );
  expect(changedText('released')).toMatch(/viewing ended [^(]+ \(released by its holder\)\./);
});
