import { expect, test } from 'vitest';
import { isFiltered, listInput, listUrl, readListQuery } from './list-query';
import { FIRST_WINDOW } from './list-window';

const read = (address: string) => readListQuery(new URLSearchParams(address.split('?')[1] ?? ''));

test('a URL and the list query it encodes convert into each other', () => {
  const address = '/?state=contended&namespace=shop&q=cart+88&sort=held&order=descending';
  expect(listUrl(read(address))).toBe(address);
  expect(listUrl(read('/'))).toBe('/');
});

test('what an address says wrongly counts as not said', () => {
  const query = read('/?state=jammed&namespace=NO%20SUCH&sort=height&order=up');
  expect(query).toEqual({
    status: null,
    namespace: null,
    search: '',
    sort: 'worst',
    descending: false,
  });
  expect(isFiltered(query)).toBe(false);
});

test('the input leaves out what is not asked for', () => {
  expect(listInput(read('/'), FIRST_WINDOW)).toEqual({
    sort: 'worst',
    descending: false,
    offset: 0,
    limit: 200,
  });
  expect(listInput(read('/?q=a&state=held'), { offset: 900, limit: 50 })).toEqual({
    status: 'held',
    search: 'a',
    sort: 'worst',
    descending: false,
    offset: 900,
    limit: 50,
  });
});
