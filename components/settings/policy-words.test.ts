import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '@/server/domain/namespace-policy';
import { keysOf, msOfSeconds, policyWords } from './policy-words';

const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');

test('a policy reads as one line', () => {
  expect(plain(policyWords(DEFAULT_POLICY))).toBe(
    'lease 100 ms to 24 h · waits up to 10 min · queue 200 · no lock-delay',
  );
  const own = { leaseMaxMs: 90_000, patienceMaxMs: 0, lockDelayMs: 1_500 };
  const strict = {
    ...DEFAULT_POLICY,
    ...own,
    requiredMeta: ['team', 'job'],
    stuckAfterMs: 300_000,
  };
  expect(plain(policyWords(strict))).toContain('to 90 s');
  expect(plain(policyWords(strict))).toContain('lock-delay 1,500 ms');
  expect(policyWords(strict)).toContain('no waiting');
  expect(plain(policyWords(strict))).toContain('stuck after 5 min');
  expect(policyWords(strict)).toMatch(/ · meta team, job$/);
});

test('what is typed becomes what is sent', () => {
  expect(msOfSeconds('0.1')).toBe(100);
  expect(msOfSeconds('1.0005')).toBe(1_001);
  expect(keysOf(' team, job\nowner ')).toEqual(['team', 'job', 'owner']);
  expect(keysOf('')).toEqual([]);
});
