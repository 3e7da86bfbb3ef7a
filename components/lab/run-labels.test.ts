import { expect, test } from 'vitest';
import {
  LAB_PAUSE_MS,
  type LabRow,
  type LabSettings,
} from '@/server/contract/console/lab/lab-race';
import type { LabRunEntry } from '@/server/contract/console/lab/lab-run';
import { endLabel, longestLeftMs, messageTitle } from './run-labels';

test('a name written from right to left moves no figure beside it', () => {
  const run = { startedAt: 0, endedAt: 4_000, endedBy: 'stopped', stoppedBy: 'مدير' } as const;
  expect(endLabel(run)).toMatch(/^Stopped by \u2068مدير\u2069 after 4\.0\ss$/);
});

test('only a race that failed says so: another may say what it could not remove', () => {
  expect(messageTitle({ endedBy: 'failed' })).toBe('The race failed');
  expect(messageTitle({ endedBy: 'done' })).toBe('Scratch data is left on a server');
});

test('what a race may still take shrinks while a strategy runs', () => {
  const entries = ['a', 'b', 'c'].map((id) => ({ id })) as LabRunEntry[];
  const settings = { perEntryMs: 6_000 } as LabSettings;
  const sample = (elapsedMs: number) => ({ elapsedMs, sold: 0, opsPerSecond: 0 });
  const run = (rows: number, elapsedMs: number[]) => ({
    entries,
    settings,
    rows: entries.slice(0, rows) as unknown as LabRow[],
    current: { id: 'x', startedAt: 0, samples: elapsedMs.map(sample) },
  });
  expect(longestLeftMs({ ...run(0, []), current: null })).toBe(18_000);
  expect(longestLeftMs(run(0, []))).toBe(18_000);
  expect(longestLeftMs(run(1, [1_000, 2_500]))).toBe(9_500);
  expect(longestLeftMs(run(2, [6_400]))).toBe(0);
  const paused = { ...settings, pause: true };
  expect(longestLeftMs({ ...run(2, [6_400]), settings: paused })).toBe(LAB_PAUSE_MS - 400);
});
