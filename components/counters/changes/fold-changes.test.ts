import { expect, test } from 'vitest';
import type { CounterMoveRow } from '@/server/contract/console/counter-row';
import { foldChanges } from './fold-changes';

const move = (id: number, at: number, part: Partial<CounterMoveRow> = {}): CounterMoveRow => ({
  ...{ id: String(id), at, rev: id, kind: 'added', service: 'tickets', value: 100 - id },
  ...{ delta: -1, bounds: null, by: null, reason: null, ...part },
});

test('what one service adds within a second is one line, with the sum and newest value', () => {
  const moves = [move(5, 2_900), move(4, 2_500), move(3, 2_100), move(2, 1_900), move(1, 1_200)];
  expect(foldChanges(moves)).toMatchObject([
    { id: '3', count: 3, delta: -3, move: { value: 95 } },
    { id: '1', count: 2, delta: -2, move: { value: 98 } },
  ]);
});

test('another service, and what a person did, is a line of its own', () => {
  const byHand = { kind: 'adjusted' as const, by: 'ada', reason: 'recount', delta: 7 };
  const moves = [
    move(4, 900),
    move(3, 800, { service: 'refunds' }),
    move(2, 700, byHand),
    move(1, 600),
  ];
  expect(foldChanges(moves).map(({ count, delta }) => [count, delta])).toEqual([
    [1, -1],
    [1, -1],
    [1, 7],
    [1, -1],
  ]);
});
