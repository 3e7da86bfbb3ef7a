import { expect, test } from 'vitest';
import type { HoldersPage, ProcessRow } from '@/server/contract/console/waits/holder-rows';
import { listHolders } from './holder-list';

const ANY = { search: '', verdict: null, namespace: null, backend: null };

const processOf = (owner: string, blocked: number) =>
  ({ service: 'cron', owners: [owner], blocked, waits: 0, places: [] }) as unknown as ProcessRow;

/** The page after a search: its rows, and how many processes were found. */
const pageOf = (search: string, found: number, ...rows: ProcessRow[]) =>
  ({ search, found, rows }) as HoldersPage;

test('while the server searches, the rows of the last page are searched, and not counted', () => {
  const page = pageOf('', 2, processOf('web-1', 0), processOf('web-2', 0));
  const { rows, isSearching, count } = listHolders(page, { ...ANY, search: 'WEB-2' });
  expect(rows.map(({ owners }) => owners)).toEqual([['web-2']]);
  expect({ isSearching, count }).toEqual({ isSearching: true, count: '' });
});

test('what a search finds is counted, and with a filter only what is listed of it', () => {
  const page = pageOf('web', 300, processOf('web-1', 1), processOf('web-2', 0));
  const found = listHolders(page, { ...ANY, search: 'web' });
  expect(found.count.replaceAll('\u00a0', ' ')).toBe('300 processes match');
  const blocking = listHolders(page, { ...ANY, search: 'web', verdict: 'blocking' });
  expect(blocking.count.replaceAll('\u00a0', ' ')).toBe('1 of 2 processes');
});

test('processes that block others may be missing only if all that are listed do', () => {
  const cutOf = (...rows: ProcessRow[]) => listHolders(pageOf('', 3, ...rows), ANY).isCut;
  expect(cutOf(processOf('web-1', 1), processOf('web-2', 2))).toBe(true);
  expect(cutOf(processOf('web-1', 1), processOf('web-2', 0))).toBe(false);
});
