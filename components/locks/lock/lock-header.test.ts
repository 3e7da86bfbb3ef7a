import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { BackendHealth } from '@/server/contract/console/backend-health';
import type { LockRow } from '@/server/contract/console/lock-row';
import { ReadingProvider } from '../../live/reading';
import { BackendRejectsNote } from './lock-header';

const CACHE = { id: 'cache', reachable: false } as BackendHealth;

function noteOf(part: Partial<LockRow>, health: Partial<BackendHealth>): string {
  const row = { backend: 'cache', status: 'held', ...part } as LockRow;
  const reading = { asOf: 0, receivedAt: null, backends: [{ ...CACHE, ...health }] };
  const children = createElement(BackendRejectsNote, { row });
  const html = renderToString(createElement(ReadingProvider, { reading, children }));
  return html.replaceAll(/<[^>]*>/g, '');
}

test('a lock that can be read although its store rejects all else is shown with the reason', () => {
  const full = { refusal: 'Its memory is full.' };
  expect(noteOf({}, full)).toBe(
    'Backend cache rejects requests: no action is possible. Its memory is full. Details',
  );
  expect(noteOf({}, {})).toBe('');
  expect(noteOf({}, { ...full, reachable: true })).toBe('');
  const disabled = { refusal: 'The backend was resharded a moment ago.', shards: [] };
  expect(noteOf({}, disabled)).toBe(
    'Backend cache is disabled on this server: no action is possible. ' +
      'The backend was resharded a moment ago. Details',
  );
  // Its sentence says so.
  expect(noteOf({ status: 'unknown' }, full)).toBe('');
});
