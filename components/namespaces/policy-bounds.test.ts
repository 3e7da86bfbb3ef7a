import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { policyBounds } from './policy-bounds';

const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');
const labels = (policy: typeof DEFAULT_POLICY) =>
  policyBounds(policy).map(({ label, isCustom }) => `${plain(label)}${isCustom ? '!' : ''}`);

test('a policy is listed limit by limit, with those that differ from the default marked', () => {
  expect(labels(DEFAULT_POLICY)).toEqual([
    'lease 100 ms to 24 h',
    'max wait 10 min',
    'max queue 200',
    'no lock delay',
    'max 100,000 names',
  ]);
  const own = { leaseMaxMs: 90_000, patienceMaxMs: 0, lockDelayMs: 1_500, stuckAfterMs: 300_000 };
  expect(labels({ ...DEFAULT_POLICY, ...own, requiredMeta: ['team', 'job'] })).toEqual([
    'lease 100 ms to 90 s!',
    'no waiting!',
    'max queue 200',
    'lock delay 1,500 ms!',
    'max 100,000 names',
    'stuck after 5 min!',
    'required metadata: team, job!',
  ]);
});
