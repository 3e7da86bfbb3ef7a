import { expect, test } from 'vitest';
import {
  columnOrder,
  isFiltered,
  listInput,
  listUrl,
  readListQuery,
  rowsKey,
  shownView,
} from './list-query';
import { FIRST_WINDOW } from './list-window';

const read = (address: string) => readListQuery(new URLSearchParams(address.split('?')[1] ?? ''));

test('a URL and the list query it encodes convert into each other', () => {
  const address =
    '/?view=attention&state=contended&namespace=shop&backend=redis-eu&q=cart+88&sort=held&order=descending' +
    '&peek=shop%2Fcart%2F88';
  expect(listUrl(read(address))).toBe(address);
  expect(read(address).peek).toEqual({ namespace: 'shop', name: 'cart/88' });
  expect(listUrl(read('/'))).toBe('/');
});

test('an invalid part of an address is ignored', () => {
  const query = read('/?view=mine&state=jammed&namespace=NO%20SUCH&sort=height&order=up&peek=shop');
  expect(query).toEqual({
    view: null,
    status: null,
    namespace: null,
    backend: null,
    search: '',
    sort: 'worst',
    descending: false,
    at: null,
    peek: null,
  });
  expect(isFiltered(query)).toBe(false);
});

test('the input leaves out what the query does not set', () => {
  expect(listInput(read('/'), FIRST_WINDOW)).toEqual({
    attention: false,
    sort: 'worst',
    descending: false,
    offset: 0,
    limit: 200,
  });
  const address = '/?view=attention&q=a&state=held';
  expect(listInput(read(address), { offset: 900, limit: 50 })).toEqual({
    attention: true,
    status: 'held',
    search: 'a',
    sort: 'worst',
    descending: false,
    offset: 900,
    limit: 50,
  });
});

test('a preview does not change which list is shown', () => {
  expect(rowsKey(read('/?q=a&peek=shop/cart'))).toBe(rowsKey(read('/?q=a')));
});

test('what needs attention is shown first if there is any, but never instead of a search', () => {
  expect(shownView(read('/'), 2)).toBe('attention');
  expect(shownView(read('/'), 0)).toBe('all');
  expect(shownView(read('/?q=cart'), 2)).toBe('all');
  expect(shownView(read('/?view=all'), 2)).toBe('all');
  expect(shownView(read('/?view=attention'), 0)).toBe('attention');
});

test('a column is announced by its figures: longest, most or worst first is descending', () => {
  const of = (sort: 'name' | 'lease' | 'held' | 'waiters' | 'worst', descending = false) =>
    columnOrder({ sort, descending });
  expect([of('name'), of('lease')]).toEqual(['ascending', 'ascending']);
  expect([of('held'), of('waiters'), of('worst')]).toEqual(Array(3).fill('descending'));
  expect([of('name', true), of('held', true)]).toEqual(['descending', 'ascending']);
});
