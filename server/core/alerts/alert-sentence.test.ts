import { expect, it } from 'vitest';
import type { LockRow } from '../../contract/console/lock-row';
import { backendSentence, counterSentence, lockAlertSentence } from './alert-sentence';

it('the sentence of a counter writes its numbers as the console does', () => {
  expect(counterSentence({ value: 1_204, floor: 0, ceiling: 10_000 })).toBe(
    'Value 1,204; floor 0, ceiling 10,000.',
  );
  expect(counterSentence({ value: -1, floor: null, ceiling: 0 })).toBe('Value −1; ceiling 0.');
});

it('the sentence of a backend says whether it does not respond or why it rejects requests', () => {
  expect(backendSentence({ id: 'cache' }, 'shop')).toBe(
    'Backend cache is not responding. The state of the locks in shop is unknown.',
  );
  expect(backendSentence({ id: 'cache', refusal: 'Its memory is full.' }, 'shop')).toBe(
    'Backend cache rejects requests. Its memory is full. ' +
      'The state of the locks in shop is unknown.',
  );
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
