import { expect, it } from 'vitest';
import type { ShardHealth } from '../../contract/console/backend-health';
import type { LockRow } from '../../contract/console/lock-row';
import { backendSentence, counterSentence, lockAlertSentence } from './alert-sentence';

it('the sentence of a counter writes its numbers as the console does', () => {
  expect(counterSentence({ value: 1_204, floor: 0, ceiling: 10_000 })).toBe(
    'Value 1,204; floor 0, ceiling 10,000.',
  );
  expect(counterSentence({ value: -1, floor: null, ceiling: 0 })).toBe('Value −1; ceiling 0.');
});

it('the sentence of a backend says whether it does not respond or why it rejects requests', () => {
  const away = { id: 'cache', reachable: false };
  expect(backendSentence(away, 'shop')).toBe(
    'Backend cache is not responding. The state of the locks in shop is unknown.',
  );
  expect(backendSentence({ ...away, refusal: 'Its memory is full.' }, 'shop')).toBe(
    'Backend cache rejects requests. Its memory is full. ' +
      'The state of the locks in shop is unknown.',
  );
  const disabled = { ...away, shards: [], refusal: 'It was resharded.' };
  expect(backendSentence(disabled, 'shop')).toBe(
    'Backend cache is disabled on this server. It was resharded. ' +
      'The state of the locks in shop is unknown.',
  );
});

it('the sentence of a sharded backend names the shards that fail, and says how', () => {
  const sentence = (...shards: object[]) => {
    const health = { id: 'orders', reachable: false, shards: shards as ShardHealth[] };
    return backendSentence(health, 'shop').replace(/ The state of the locks .*/, '');
  };
  const [good, silent] = [
    { name: 'db1/a', reachable: true },
    { name: 'db2/b', reachable: false },
  ];
  const full = { name: 'db3/c', reachable: false, refusal: 'It is full.' };
  expect(sentence(good, silent)).toBe('Backend orders is not responding on db2/b.');
  expect(sentence(good, full)).toBe('Backend orders rejects requests on db3/c. It is full.');
  expect(sentence(silent, full, { ...full, name: 'db4/d' })).toBe(
    'Backend orders is not responding on db2/b. ' +
      'Backend orders rejects requests on db3/c, db4/d. It is full.',
  );
  expect(sentence(good)).toBe('Backend orders is not responding.');
});

it('the sentence of a lock names the day of an instant that is not on the day of the alert', () => {
  const expired = (at: number): LockRow => ({
    ...{ id: 'x', namespace: 'money', name: 'invoices', backend: 'default', rev: 9, readAt: at },
    ...{ status: 'expired', stuck: null, hold: null, holders: 0, frozen: null, delayedUntil: 0 },
    ended: { owner: 'w1', service: 's', token: 7, cause: 'expired', grantedAt: at - 1_000, at },
    ...{ waiters: 0, oldestWaitAt: null, ownHold: null },
  });
  const at = Date.UTC(2026, 10, 18, 23, 58);
  const sentenceAfter = (ms: number) => lockAlertSentence(expired(at), at + ms);
  expect(sentenceAfter(90_000)).toContain('expired at 23:58 UTC without');
  expect(sentenceAfter(5 * 60_000)).toContain('expired at 2026-11-18 23:58 UTC without');
});
