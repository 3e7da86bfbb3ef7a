import { expect, test } from 'vitest';
import { noActReason } from './peek-acts';

test('until its first answer a preview is loading; a silent backend is unknown', () => {
  const current = { isStale: false, isFresh: true, isAwaited: false, atStore: null };
  expect(noActReason(current)).toBeNull();
  const atStore = 'backend is disabled on this server';
  expect(noActReason({ ...current, atStore })).toBe(atStore);
  const awaited = { ...current, isFresh: false, isAwaited: true };
  expect(noActReason(awaited)).toBe('loading…');
  for (const unknown of [
    { ...current, isFresh: false },
    { ...current, isFresh: false, atStore: 'backend rejects requests' as const },
    { ...current, isStale: true },
    { ...awaited, isStale: true },
  ]) {
    expect(noActReason(unknown)).toBe('state unknown');
  }
});
