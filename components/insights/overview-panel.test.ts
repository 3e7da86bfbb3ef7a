import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { HeatRow, Overview } from '@/server/contract/console/past/overview';
import { InsightSteps } from '@/server/core/statistics/insight-steps';
import OverviewPanel from './overview-panel';

const NOW = Date.UTC(2026, 10, 20, 14, 33);

function panelOf(rows: HeatRow[], at: number | null = null): string {
  const heat = { range: '1h', from: NOW - 3_600_000, stepMs: 60_000, steps: 60, rows } as const;
  const overview: Overview = {
    range: '1h',
    ...new InsightSteps('1h', NOW).view(),
    heat,
    asOf: NOW,
  };
  return renderToString(createElement(OverviewPanel, { overview, at }));
}

test('an hour in which callers waited all the time and nothing ended is not shown as idle', () => {
  const lock = { backend: 'main', namespace: 'shop', name: 'invoice', waiterMs: 3_600_000 };
  const cells = [{ step: 3, waiterMs: 60_000, status: 'stuck' as const }];
  expect(panelOf([])).toContain('No activity in the');
  expect(panelOf([{ ...lock, cells }])).not.toContain('No activity');
  expect(panelOf([{ ...lock, cells }])).toContain('Time spent waiting, by lock');
});

test('two locks of one name in the heat map have their namespaces beside them', () => {
  const lock = { backend: 'main', namespace: 'shop', name: 'invoice', waiterMs: 1, cells: [] };
  expect(panelOf([lock, { ...lock, name: 'other' }])).not.toContain('>shop</span>');
  const both = panelOf([lock, { ...lock, namespace: 'billing' }]);
  expect(both).toContain('>shop</span>');
  expect(both).toContain('>billing</span>');
});

test('charts of a past time name that time, and their locks are opened as of it', () => {
  const lock = { backend: 'main', namespace: 'shop', name: 'invoice', waiterMs: 1, cells: [] };
  const local = new Date(2026, 10, 20, 14, 33).getTime();
  expect(panelOf([lock])).toContain('last hour');
  expect(panelOf([lock])).toContain('href="/locks/shop/invoice"');
  const past = panelOf([lock], local);
  expect(past).not.toContain('last hour');
  expect(past).toContain('hour until 20 Nov, 14:33');
  expect(past).toContain(`href="/locks/shop/invoice?at=${local}"`);
  expect(panelOf([], local)).toContain('No activity in the');
  expect(panelOf([], local)).not.toContain('last hour');
});
