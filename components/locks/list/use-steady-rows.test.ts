import { expect, test } from 'vitest';
import { steadyRows } from './use-steady-rows';

const row = (id: string, value = 0) => ({ id, value });

test('rows keep their places while their data moves on', () => {
  const rows = steadyRows([row('a'), row('b'), row('c')], [row('b', 1), row('a', 1), row('c', 1)]);
  expect(rows).toEqual([row('a', 1), row('b', 1), row('c', 1)]);
});

test('a removed row stays, and a new one is added at the end if there is room', () => {
  const shown = [row('a'), row('b')];
  expect(steadyRows(shown, [row('n', 1), row('b', 1)])).toEqual([row('a'), row('b', 1)]);
  expect(steadyRows(shown, [row('n', 1), row('a', 1), row('b', 1)])).toEqual([
    row('a', 1),
    row('b', 1),
    row('n', 1),
  ]);
});
