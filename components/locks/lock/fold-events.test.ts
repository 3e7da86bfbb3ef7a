import { expect, test } from 'vitest';
import type { EventRow } from '@/server/contract/console/lock-row';
import { foldEvents } from './fold-events';

let next = 1_000;
const event = (kind: string): EventRow => {
  next -= 1;
  return {
    id: String(next),
    at: next,
    rev: next,
    kind,
    service: 's',
    owner: 'o',
    token: null,
    waitedMs: null,
    heldMs: null,
    expiresAt: null,
    permits: null,
    capacity: null,
    by: null,
    reason: null,
  };
};
const shape = (kinds: string[]) =>
  foldEvents(kinds.map(event)).map((line) =>
    line.kind === 'one' ? line.event.kind : `${line.events.length} ${line.of}`,
  );

test('routine between two events that matter becomes one line of each sort', () => {
  expect(shape(['renewed', 'renewed', 'resumed', 'detached', 'renewed', 'granted'])).toEqual([
    '3 renewals',
    '2 calls',
    'granted',
  ]);
});

test('runs do not reach over an event that matters', () => {
  expect(
    shape(['renewed', 'renewed', 'renewed', 'forced', 'renewed', 'renewed', 'renewed']),
  ).toEqual(['3 renewals', 'forced', '3 renewals']);
});

test('a few routine events stay separate', () => {
  expect(shape(['renewed', 'resumed', 'granted', 'renewed'])).toEqual([
    'renewed',
    'resumed',
    'granted',
    'renewed',
  ]);
  expect(shape([])).toEqual([]);
});

test('lines of routine are in the order of its changes, however clocks differ', () => {
  const behind = { ...event('renewed'), at: 0 };
  const rest = ['detached', 'resumed', 'renewed'].map(event);
  const lines = foldEvents([behind, ...rest]).map((line) => line.kind === 'run' && line.of);
  expect(lines).toEqual(['renewals', 'calls']);
});
