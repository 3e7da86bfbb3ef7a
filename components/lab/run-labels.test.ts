import { expect, test } from 'vitest';
import { endLabel } from './run-labels';

test('a name written from right to left moves no figure beside it', () => {
  const run = { startedAt: 0, endedAt: 4_000, endedBy: 'stopped', stoppedBy: 'مدير' } as const;
  expect(endLabel(run)).toMatch(/^Stopped by \u2068مدير\u2069 after 4\.0\ss$/);
});
