import { describe, expect, it } from 'vitest';
import { LAB_DEFAULTS, type LabRow } from '@/server/contract/console/lab/lab-race';
import type { LabRunEntry } from '@/server/contract/console/lab/lab-run';
import { runVerdict, sortRows } from './lab-verdict';

const row = (id: string, more: Partial<LabRow>): LabRow => ({
  id,
  number: '1',
  title: id,
  servers: 'MySQL',
  sold: 500,
  stock: 500,
  oversold: 0,
  opsPerSecond: 100,
  p50Ms: 1,
  p99Ms: 8.2,
  conflicts: 0,
  deadlocks: 0,
  retries: 0,
  durationMs: 1_000,
  verdict: 'holds',
  ...more,
});

const entry = (id: string, kind: LabRunEntry['kind']): LabRunEntry => ({
  id,
  number: '',
  title: id,
  kind,
  consistency: 'None',
});

const settings = { ...LAB_DEFAULTS, strategies: [] };
const oversold = (id: string, units: number) =>
  row(id, { sold: 500 + units, oversold: units, verdict: 'oversells', opsPerSecond: 9_000 });

describe('the verdict of a run', () => {
  it('counts what held and what wrong ways sold beyond the stock', () => {
    const rows = [row('a', {}), row('b', {}), oversold('w', 713), oversold('v', 179)];
    const entries = [entry('w', 'wrong way'), entry('v', 'wrong way')];
    expect(runVerdict({ rows, entries, settings })).toMatchObject({
      held: 'Two ways sold exactly 500.',
      oversold: 'Two wrong ways oversold by 892\u00a0units.',
      incomplete: '',
    });
  });

  it('names a right way that oversold', () => {
    const rows = [oversold('set-nx-px', 1)];
    const verdict = runVerdict({ rows, entries: [entry('set-nx-px', 'lock')], settings });
    expect(verdict.oversold).toBe('“set-nx-px” oversold by 1\u00a0unit.');
    expect(verdict.held).toBe('');
    const paused = { ...settings, pause: true };
    const entries = [entry('set-nx-px', 'lock')];
    expect(runVerdict({ rows, entries, settings: paused }).oversold).toBe(
      'Paused past its lease: “set-nx-px” oversold by 1\u00a0unit.',
    );
  });

  it('claims no exact sale where the time was too short to sell everything', () => {
    const rows = [row('a', { sold: 480 })];
    expect(runVerdict({ rows, entries: [], settings }).held).toBe('One way never oversold.');
  });

  it('recommends the fastest correct one, never a faster one that oversold', () => {
    const rows = [
      row('slow', {}),
      row('quick', { opsPerSecond: 840, p99Ms: 8.2 }),
      oversold('w', 9),
    ];
    const { advice, fastest } = runVerdict({ rows, entries: [], settings });
    expect(fastest?.id).toBe('quick');
    expect(advice).toMatch(/^On this machine, for this load \(50\u00a0workers, stock 500,/);
    expect(advice).toMatch(/was “quick”: 840 per second, p99 8\.2\u00a0ms\.$/);
  });

  it('neither recommends a lucky wrong way, nor counts it as correct', () => {
    const entries = [entry('w', 'wrong way'), entry('a', 'lock')];
    const lucky = row('w', { opsPerSecond: 9_000 });
    expect(runVerdict({ rows: [lucky, row('a', {})], entries, settings })).toMatchObject({
      held: 'One way sold exactly 500.',
      heldCount: 1,
      lucky: 'One wrong way was lucky.',
      fastest: { id: 'a' },
    });
    expect(runVerdict({ rows: [lucky], entries, settings })).toMatchObject({
      held: '',
      heldCount: 0,
      advice: expect.stringMatching(/no strategy held, except by luck\.$/),
      fastest: null,
    });
  });

  it('also names the fastest Strong one, if the fastest is not Strong', () => {
    const rows = [row('quick', { opsPerSecond: 840 }), row('sure', { opsPerSecond: 120 })];
    const entries = [
      { ...entry('quick', 'lock'), consistency: 'Timed' },
      { ...entry('sure', 'lock'), consistency: 'Strong' },
    ];
    expect(runVerdict({ rows, entries, settings }).advice).toMatch(
      /It is not Strong; the fastest of those that are was “sure”: 120 per second\.$/,
    );
  });

  it('reports strategies that did not finish as such, never as correct', () => {
    const rows = [row('a', { sold: 12, verdict: 'incomplete', reason: 'The server died.' })];
    expect(runVerdict({ rows, entries: [], settings })).toMatchObject({
      held: '',
      incomplete: 'One did not finish.',
      advice: expect.stringMatching(/no strategy held\.$/),
      fastest: null,
    });
    expect(runVerdict({ rows: [], entries: [], settings }).advice).toBe('');
  });
});

it('sorts oversold ones to the top, then by speed, and unfinished ones to the bottom', () => {
  const rows = [
    row('dead', { verdict: 'incomplete', opsPerSecond: 5_000 }),
    row('slow', {}),
    oversold('w', 1),
    row('quick', { opsPerSecond: 300 }),
  ];
  expect(sortRows(rows).map(({ id }) => id)).toEqual(['w', 'quick', 'slow', 'dead']);
});
