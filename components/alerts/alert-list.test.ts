import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { AlertRow } from '@/server/contract/console/alerts/alert-row';
import { visibleText } from '@/server/core/format/visible-text';
import { AlertList } from './alert-list';

const alert: AlertRow = {
  ...{ id: 1, kind: 'expired', backend: 'default', namespace: 'money', name: 'invoices' },
  ...{ since: 0, firedAt: 0, announcedAt: 0, resolvedAt: null },
  sentence: `The lease of ${visibleText('\u05e9\u05dc\u05d5\u05dd')} expired.`,
};

test('the sentence of an alert is shown as it is: its names are visible already', () => {
  const list = { alerts: [alert], silences: [], now: 0, onSilence: null };
  expect(renderToString(createElement(AlertList, list))).toContain(`>${alert.sentence}<`);
});
