import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { HOUR_MS } from '@/server/core/time-units';
import { TimelinePlot } from './timeline-plot';

const NOW = 30 * HOUR_MS;

test('the titles of running bars are exact, though a coarse plot draws their ends in steps', () => {
  const bar = { service: 'orders', owner: 'w', to: null, end: null };
  const hold = { ...bar, from: NOW - 8_000, token: 7, count: 1 };
  const segment = { left: 0.99, width: 0.01, tone: 'held' as const, from: hold.from };
  const drawnTo = NOW + 90_000;
  const plot = createElement(TimelinePlot, {
    lanes: {
      holds: [{ bar: hold, isLive: true, segments: [segment], row: 0 }],
      rows: 1,
      lanes: [{ owner: 'w', service: 'orders', bars: [{ ...bar, from: NOW - 5_000 }] }],
      folded: [{ ...bar, from: NOW - 3_000 }],
      more: 1,
      moreWaits: 0,
    },
    acts: [],
    refused: [],
    span: { from: drawnTo - 24 * HOUR_MS, to: drawnTo },
    now: drawnTo,
    titlesAt: NOW,
    path: '/locks/default/x',
  });
  const titles = renderToString(plot).matchAll(/title="[^"]*now, ([^,"]+)/g);
  const lasting = [...titles].map(([, text]) => text?.replace('\u00a0', ' '));
  expect(lasting).toEqual(['8.0 s', '5.0 s', '3.0 s']);
});

test('how a wait ended is written only where no line of an operator crosses it', () => {
  const bar = { service: 'orders', owner: 'w', from: NOW - 9_000, to: NOW - 8_000 };
  const plotWith = (actAt: number) =>
    renderToString(
      createElement(TimelinePlot, {
        lanes: {
          holds: [],
          rows: 1,
          lanes: [{ owner: 'w', service: 'orders', bars: [{ ...bar, end: 'dropped' as const }] }],
          folded: [],
          more: 0,
          moreWaits: 0,
        },
        acts: [{ at: actAt, kind: 'frozen', by: 'olga', reason: 'repair' }],
        refused: [],
        span: { from: NOW - 10_000, to: NOW },
        now: NOW,
        path: '/locks/default/x',
      }),
    );
  expect(plotWith(NOW - 9_000)).toContain('timeline-end');
  expect(plotWith(NOW - 2_000)).toContain('timeline-end');
  expect(plotWith(NOW - 7_900)).not.toContain('timeline-end');
});
