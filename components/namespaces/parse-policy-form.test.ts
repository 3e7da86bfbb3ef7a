import { expect, test } from 'vitest';
import { parsePolicyForm } from './parse-policy-form';

const typed = {
  whose: 'own',
  leaseMin: '0.1',
  leaseMax: '1.0005',
  patience: '0',
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

test('what is typed becomes what is sent', () => {
  expect(parsePolicyForm(form(typed))).toEqual({
    leaseMinMs: 100,
    leaseMaxMs: 1_001,
    patienceMaxMs: 0,
    queueLimit: 50,
    lockDelayMs: 10_000,
    requiredMeta: ['team', 'job', 'owner'],
    stuckAfterMs: 300_000,
    maxLocks: 5_000,
  });
  expect(parsePolicyForm(form({ ...typed, meta: '' }))?.requiredMeta).toEqual([]);
});

test('the default policy is sent as none', () => {
  expect(parsePolicyForm(form({ ...typed, whose: 'default' }))).toBeNull();
});
