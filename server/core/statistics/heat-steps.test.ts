import { expect, test } from 'vitest';
import { MINUTE_MS } from '../time-units';
import { type HeatReading, HeatSteps } from './heat-steps';

const NOW = Date.UTC(2026, 10, 20, 12, 30, 30);

const reading = (name: string, at: number, parts: Partial<HeatReading> = {}): HeatReading => {
  const lock = { backend: 'default', namespace: 'default', name };
  return { ...lock, at, waiterMs: 1_000, status: 'contended', ...parts };
};

test('a heat map adds up the waits in each of its steps, with the worst status', () => {
  const steps = new HeatSteps('24h', NOW);
  const { from } = steps;
  steps.add(reading('a', from));
  steps.add(reading('a', from + 15 * MINUTE_MS, { waiterMs: 2_000, status: 'stuck' }));
  steps.add(reading('a', from + 30 * MINUTE_MS));
  const { rows, steps: count, stepMs } = steps.view();
  expect(rows[0]).toMatchObject({ name: 'a', waiterMs: 4_000 });
  expect(rows[0]?.cells).toEqual([
    { step: 0, waiterMs: 3_000, status: 'stuck' },
    { step: 1, waiterMs: 1_000, status: 'contended' },
  ]);
  expect(from + count * stepMs).toBeGreaterThan(NOW);
});

test('a heat map lists the most awaited locks, most first, and nothing outside its range', () => {
  const steps = new HeatSteps('1h', NOW);
  const { from } = steps;
  for (let i = 0; i < 20; i += 1) steps.add(reading(`n${i}`, from, { waiterMs: i }));
  steps.add(reading('before', from - MINUTE_MS, { waiterMs: 1_000_000 }));
  const names = steps.view().rows.map(({ name }) => name);
  expect(names).toHaveLength(14);
  expect(names.slice(0, 2)).toEqual(['n19', 'n18']);
});
