import { expect, test } from 'vitest';
import {
  EMPTY_SELECTION,
  isNameable,
  namesByNamespace,
  rowsBetween,
  withoutNames,
  withoutRows,
  withRows,
} from './use-selection';

const rowOf = (name: string, namespace = 'jobs') => ({
  id: `default/${namespace}/${name}`,
  namespace,
  name,
});
const rows = ['a', 'b', 'c', 'd'].map((name) => rowOf(name));

test('rows are selected by id, each once, and stay selected until they are left out', () => {
  const both = withRows(withRows(EMPTY_SELECTION, rows.slice(0, 2)), rows.slice(1, 3));
  expect(namesByNamespace(both)).toEqual([['jobs', ['a', 'b', 'c']]]);
  expect(namesByNamespace(withoutRows(both, rows.slice(2)))).toEqual([['jobs', ['a', 'b']]]);
  expect(EMPTY_SELECTION.size).toBe(0);
});

test('no more rows are selected than one request may name', () => {
  const many = Array.from({ length: 300 }, (_, i) => rowOf(`n${i}`));
  const most = withRows(withRows(EMPTY_SELECTION, rows), many);
  expect(most.size).toBe(200);
  expect(most.has('default/jobs/a')).toBe(true);
});

test('a range goes from the anchor row to this one, up or down; without one it is this row', () => {
  const names = (from: string | null, to: string) =>
    rowsBetween(rows, from && `default/jobs/${from}`, `default/jobs/${to}`).map(({ name }) => name);
  expect(names('b', 'd')).toEqual(['b', 'c', 'd']);
  expect(names('c', 'a')).toEqual(['a', 'b', 'c']);
  expect(names(null, 'c')).toEqual(['c']);
  expect(names('not loaded', 'c')).toEqual(['c']);
  expect(names('a', 'not loaded')).toEqual([]);
});

test('namespaces are kept apart, also when names of one are deleted', () => {
  const all = withRows(EMPTY_SELECTION, [rowOf('a', 'web'), ...rows.toReversed()]);
  expect(namesByNamespace(all)).toEqual([
    ['jobs', ['a', 'b', 'c', 'd']],
    ['web', ['a']],
  ]);
  expect(namesByNamespace(withoutNames(all, 'jobs', ['a', 'b', 'c', 'd']))).toEqual([
    ['web', ['a']],
  ]);
});

test('a name that a field with one name per line would split cannot be selected', () => {
  expect(isNameable(rowOf('a b'))).toBe(true);
  expect(isNameable(rowOf('a\nb'))).toBe(false);
  expect(isNameable(rowOf('a\rb'))).toBe(false);
});
