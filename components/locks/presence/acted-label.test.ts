import { expect, it } from 'vitest';
import type { HoldRow } from '@/server/contract/console/lock-row';
import { actedLabel, actedSentence } from './acted-label';

const NOW = 1_000_000;
const onIt = {
  namespace: 'default',
  name: 'job',
  token: 7,
  actor: 'Ana',
  at: NOW - 120_000,
  until: NOW + 1_680_000,
};
const remark = { by: 'Ben', reason: 'a deploy waits', at: NOW - 60_000 };
const row = (part: Partial<HoldRow> | null) => ({
  status: 'held' as const,
  hold: part && ({ askedToRelease: null, renewalsStopped: null, ...part } as HoldRow),
});

it('is empty if no person has done anything', () => {
  expect(actedLabel(row({}), null, 'Ada', NOW)).toBe('');
  expect(actedLabel(row(null), null, 'Ada', NOW)).toBe('');
});

it('names the user who is working on it, and says “You” to that user', () => {
  expect(actedLabel(row(null), onIt, 'Ada', NOW)).toBe('Ana is on it');
  expect(actedLabel(row(null), onIt, 'Ana', NOW)).toBe('You are on it');
});

it('says how long ago a holder was asked, or renewals were blocked, with the full reason', () => {
  const asked = row({ askedToRelease: remark });
  expect(actedLabel(asked, onIt, 'Ada', NOW)).toBe(
    'Ana is on it, asked 1\u00a0m\u00a000\u00a0s ago',
  );
  const both = row({ askedToRelease: remark, renewalsStopped: remark });
  expect(actedLabel(both, null, 'Ada', NOW)).toBe('renewals blocked 1\u00a0m\u00a000\u00a0s ago');
  expect(actedSentence(asked, onIt, 'Ada', NOW, NOW)).toBe(
    'Ana is on it, since 2\u00a0m\u00a000\u00a0s. ' +
      'Asked to release 1\u00a0m\u00a000\u00a0s ago by Ben: “a deploy waits”.',
  );
});

it("dates the start of a user's work by the clock of the servers, not of the backend", () => {
  const since = (backendNow: number) => actedSentence(row({}), onIt, 'Ada', backendNow, NOW);
  expect(since(NOW - 600_000)).toBe('Ana is on it, since 2\u00a0m\u00a000\u00a0s.');
  expect(since(NOW + 600_000)).toBe(since(NOW));
});
