import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { LockInsight } from '@/server/contract/console/insight-row';
import { ChartTable } from './chart-table';

test('the table of the charts is rendered on the server in UTC, not in its own zone', () => {
  // This can fail only if the process's time zone is ahead of UTC.
  const none = { waitP50Ms: null, waitP99Ms: null, holdP50Ms: null, holdP99Ms: null };
  const counts = { timeouts: 0, expiries: 0, forced: 0, refused: 0 };
  const point = { at: Date.UTC(2026, 10, 20, 23, 30), grants: 2, ...counts, ...none };
  const insight = { range: '7d', points: [point] } as unknown as LockInsight;
  expect(renderToString(createElement(ChartTable, { insight }))).toContain('20 Nov, 23:30');
});
