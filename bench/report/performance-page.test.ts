import { expect, it } from 'vitest';
import { lineCharts } from './line-charts';
import { figure } from './markdown-table';
import { withSection } from './performance-page';

const PAGE = 'Before.\n\n<!-- lone -->\n\nold\n\n<!-- /lone -->\n\nAfter.\n';

it('a section is replaced and everything around it stays', () => {
  const once = withSection(PAGE, 'lone', 'new');
  expect(once).toBe(PAGE.replace('old', 'new'));
  expect(withSection(once, 'lone', 'new')).toBe(once);
});

it('a section that the page does not have is an error', () => {
  expect(() => withSection(PAGE, 'growth', 'new')).toThrow('no section "growth"');
  expect(() => withSection('<!-- /lone --><!-- lone -->', 'lone', 'new')).toThrow();
});

it('figures have three digits, or as many as they need', () => {
  expect([0.012345, 1.005, 99.96, 123_456, Number.NaN].map(figure)).toEqual([
    '0.0123',
    '1.00',
    '100',
    '123,456',
    '–',
  ]);
});

it('a chart says in text what it shows, and leaves out what was not measured', () => {
  const svg = lineCharts(
    'callers',
    ['1', '10'],
    [
      { title: 'a < b & c', series: [{ name: 'Lockyard', values: [1, 2] }] },
      { title: 'none', series: [{ name: 'MariaDB', values: [Number.NaN, Number.NaN] }] },
    ],
  );
  expect(svg).toContain('<title>a &lt; b &amp; c; none, by callers</title>');
  expect(svg).not.toContain('NaN');
  expect(svg.match(/<circle/g)).toHaveLength(2);
});
