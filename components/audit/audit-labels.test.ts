import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { actionLabel, entryLabel, formatFacts } from './audit-labels';

const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');

test('facts are formatted in one line', () => {
  expect(formatFacts({ token: 2_199_023_255_552, rev: 41 })).toBe('token …5552, rev 41');
  expect(formatFacts({ witness: true, disabled: false })).toBe('witness, not disabled');
  expect(
    plain(formatFacts({ outcome: 'extended', rev: 7, expiresAt: 1, expiresInMs: 300_000 })),
  ).toBe('rev 7, expires in 5 m 00 s');
});

test('numbers are grouped, and have a real minus sign', () => {
  expect(formatFacts({ initial: 9_007_199_254_740_991, floor: -1_000_000 })).toBe(
    'initial 9,007,199,254,740,991, floor −1,000,000',
  );
  expect(formatFacts({ delta: -3 })).toBe('delta −3');
});

test('an instant is written as one', () => {
  expect(formatFacts({ endsAt: Date.UTC(2026, 10, 20, 14, 5) })).toMatch(
    /^ends at 2026-11-20T14:05/,
  );
});

test('a race is described in the words of the Lab', () => {
  const load = { workers: 50, stock: 1_000, thinkMs: 2, perEntryMs: 6_000, pause: false };
  expect(plain(formatFacts({ strategies: 3, ...load }))).toBe(
    'strategies 3, stock 1,000, workers 50, think time 2 ms, each at most 6 s, paused worker none',
  );
});

test('a force release shows who was granted the lock next', () => {
  const next = { kind: 'granted', owner: 'billing-2', service: 'billing', token: 8 };
  expect(formatFacts({ outcome: 'forced', rev: 42, token: 7, next, queueLength: 2 })).toBe(
    'rev 42, token …0007, granted to billing-2, queue length 2',
  );
  expect(formatFacts({ next: { kind: 'nobody' }, queueLength: 3 })).toBe(
    'no new holder, queue length 3',
  );
});

test('without facts the line is empty; an unknown action is shown by its name', () => {
  expect(formatFacts({})).toBe('');
  expect(actionLabel('lock.juggle')).toBe('lock.juggle');
});

test('an entry says whether a user was disabled or enabled', () => {
  const entry = { act: 'user.setDisabled', outcome: 'done' } as const;
  expect(entryLabel({ ...entry, seen: { disabled: true } })).toBe('Disabled user');
  expect(entryLabel({ ...entry, seen: { disabled: false } })).toBe('Enabled user');
  expect(entryLabel({ act: 'user.create', outcome: 'done', seen: { role: 'viewer' } })).toBe(
    'Added user',
  );
});

test('only what was carried out is in the past tense', () => {
  const entry = { act: 'key.create', seen: {} };
  expect(entryLabel({ ...entry, outcome: 'done' })).toBe('Created API key');
  for (const outcome of ['failed', 'refused', 'changed', 'not_applied', 'unknown'] as const)
    expect(entryLabel({ ...entry, outcome })).toBe('Create API key');
  const disabling = { act: 'user.setDisabled', seen: { disabled: true } };
  expect(entryLabel({ ...disabling, outcome: 'failed' })).toBe('Disable user');
  expect(actionLabel('key.create')).toBe('Create API key');
});

test('a policy is shown before and after', () => {
  const result = { before: DEFAULT_POLICY, after: { ...DEFAULT_POLICY, queueLimit: 50 } };
  expect(plain(formatFacts(result))).toMatch(
    /^before: lease .* max queue 200, .*; after: .* max queue 50, /,
  );
});

test('a policy that was recorded without a limit of names shows none', () => {
  const { maxLocks: _, ...recorded } = { ...DEFAULT_POLICY, queueLimit: 50 };
  expect(plain(formatFacts({ policy: recorded }))).toBe(
    'policy: lease 100 ms to 24 h, max wait 10 min, max queue 50, no lock delay',
  );
});

test('repeated rejections show how often, and what else was tried', () => {
  const result = { message: 'Not yours.', count: 57, lastAt: 1, alsoTried: ['a', 'b'] };
  expect(formatFacts(result)).toBe('Not yours, 57 times, also tried a, b');
});
