import { expect, test } from 'vitest';
import { steadyRows } from './steady-rows';

const row = (id: string, value = 0) => ({ id, value });

test('rows keep their places while their data moves on', () => {
  const { rows, moves } = steadyRows(
    [row('a'), row('b'), row('c')],
    [row('b', 1), row('a', 1), row('c', 1)],
  );
  expect(rows).toEqual([row('a', 1), row('b', 1), row('c', 1)]);
  expect(moves).toBe(2);
});

test('a row that is gone stays, one that is new comes last', () => {
  const { rows, moves } = steadyRows([row('a'), row('b')], [row('n', 1), row('b', 1)]);
  expect(rows).toEqual([row('a'), row('b', 1), row('n', 1)]);
  expect(moves).toBe(2);
});

test('nothing would move where nothing has changed', () => {
  expect(steadyRows([row('a'), row('b')], [row('a', 5), row('b', 6)]).moves).toBe(0);
  expect(steadyRows([], [row('a')])).toEqual({ rows: [row('a')], moves: 0 });
});
