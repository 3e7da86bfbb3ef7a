import { expect, test } from 'vitest';
import type { LockRow } from '@/server/contract/console/lock-row';
import { bulkLocks, bulkProgress, bulkResultLabel, bulkSummary } from './bulk-act';

const row = (part: Partial<LockRow>) =>
  ({ status: 'held', hold: { owner: 'w-1' }, frozen: null, ...part }) as LockRow;

const held = row({});
const free = row({ status: 'free', hold: null });
const kept = row({ hold: { owner: 'w-1', releasedAt: 5 } as LockRow['hold'] });
const unknown = row({ status: 'unknown' });
const frozen = row({ status: 'frozen', frozen: { by: 'vera', reason: 'repair', at: 1 } });

const serving = () => null;

const possible = (act: Parameters<typeof bulkLocks>[0]) =>
  bulkLocks(act, [held, free, kept, unknown, frozen], serving).map(({ impossible }) => impossible);

test('an action is applied only to the locks that allow it; the others show why not', () => {
  expect(possible('ask')).toEqual([null, 'not held', 'already released', 'state unknown', null]);
  expect(possible('extend')).toEqual(possible('ask'));
  expect(possible('release')).toEqual([null, 'not held', null, 'state unknown', null]);
  expect(possible('freeze')).toEqual([null, null, null, 'state unknown', 'already frozen']);
});

test('a dead process is sent no request; its lock can be extended, released and frozen', () => {
  const dead = row({ status: 'orphaned' });
  const because = (act: Parameters<typeof bulkLocks>[0]) =>
    bulkLocks(act, [dead], serving)[0]?.impossible;
  expect(because('ask')).toBe('process is dead');
  expect([because('extend'), because('release'), because('freeze')]).toEqual([null, null, null]);
});

test('a lock whose store rejects requests is skipped; the others are acted on', () => {
  const full = row({ backend: 'cache' });
  const atStoreOf = ({ backend }: LockRow) =>
    backend === 'cache' ? ('backend rejects requests' as const) : null;
  const locks = bulkLocks('release', [held, full], atStoreOf);
  expect(locks.map(({ impossible }) => impossible)).toEqual([null, 'backend rejects requests']);
});

test('the progress counts the locks that are acted on, not those that are skipped', () => {
  expect(bulkProgress(1, bulkLocks('ask', [held, free, unknown, held], serving))).toBe(
    'Working… 1 of 2',
  );
});

test('every lock has its result, and the results are added up', () => {
  const results = [
    { kind: 'done', text: 'released' },
    { kind: 'changed' },
    { kind: 'failed', text: 'No.' },
    { kind: 'unclear', text: 'Server not responding.' },
  ] as const;
  expect(results.map(bulkResultLabel)).toEqual([
    'released',
    'not done: holder has changed',
    'not done: No.',
    'unclear: Server not responding.',
  ]);
  expect(bulkSummary(results)).toBe('1 done, 2 not done, 1 unclear.');
});
