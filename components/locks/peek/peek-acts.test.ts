import { expect, test } from 'vitest';
import { unclearReason } from './peek-acts';

test('until its first answer a preview is loading; a silent backend is unknown', () => {
  const current = { isStale: false, isFresh: true, isAwaited: false };
  expect(unclearReason(current)).toBeNull();
  const awaited = { ...current, isFresh: false, isAwaited: true };
  expect(unclearReason(awaited)).toBe('loading…');
  for (const unknown of [
    { ...current, isFresh: false },
    { ...current, isStale: true },
    { ...awaited, isStale: true },
  ]) {
    expect(unclearReason(unknown)).toBe('state unknown');
  }
});
