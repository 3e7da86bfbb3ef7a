import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { policyBounds } from './policy-bounds';

const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');
const told = (policy: typeof DEFAULT_POLICY) =>
  policyBounds(policy).map(({ words, isOwn }) => `${plain(words)}${isOwn ? '!' : ''}`);

test('a policy is told bound by bound, and which are other than the default', () => {
  expect(told(DEFAULT_POLICY)).toEqual([
    'lease 100 ms to 24 h',
    'waits up to 10 min',
    'queue 200',
    'no lock-delay',
    '100,000 names',
  ]);
  const own = { leaseMaxMs: 90_000, patienceMaxMs: 0, lockDelayMs: 1_500, stuckAfterMs: 300_000 };
  expect(told({ ...DEFAULT_POLICY, ...own, requiredMeta: ['team', 'job'] })).toEqual([
    'lease 100 ms to 90 s!',
    'no waiting!',
    'queue 200',
    'lock-delay 1,500 ms!',
    '100,000 names',
    'stuck after 5 min!',
    'meta team, job!',
  ]);
});
