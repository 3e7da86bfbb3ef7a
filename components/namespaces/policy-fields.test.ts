import { expect, test } from 'vitest';
import { parsePolicyForm } from './policy-fields';

const entered = {
  policy: 'custom',
  leaseMin: '0.1',
  leaseMax: '1.0005',
  maxWait: '0',
  queue: '50',
  delay: '10',
  stuck: '300',
  maxLocks: '5000',
  meta: ' team, job\nowner ',
};

const form = (fields: Record<string, string>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
};

test('the policy that is sent is the one that was entered', () => {
  expect(parsePolicyForm(form(entered))).toEqual({
    leaseMinMs: 100,
    leaseMaxMs: 1_001,
    patienceMaxMs: 0,
    queueLimit: 50,
    lockDelayMs: 10_000,
    requiredMeta: ['team', 'job', 'owner'],
    stuckAfterMs: 300_000,
    standbyExpected: false,
    releaseOrphans: false,
    maxLocks: 5_000,
    gate: null,
  });
  expect(parsePolicyForm(form({ ...entered, gate: 'cache' }))?.gate).toBe('cache');
  expect(parsePolicyForm(form({ ...entered, standby: 'on' }))?.standbyExpected).toBe(true);
  expect(parsePolicyForm(form({ ...entered, meta: '' }))?.requiredMeta).toEqual([]);
});

test('the default policy is sent as null', () => {
  expect(parsePolicyForm(form({ ...entered, policy: 'default' }))).toBeNull();
});
