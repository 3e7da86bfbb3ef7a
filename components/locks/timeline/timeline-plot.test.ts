import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { TimelinePlot } from './timeline-plot';

const HOUR_MS = 3_600_000;
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
