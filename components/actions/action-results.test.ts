import { expect, it } from 'vitest';
import type { HoldRow } from '@/server/contract/console/lock-row';
import { problemOf } from '../live/problem';
import {
  type ActionOutcome,
  notSaved,
  resultLabel,
  resultMessage,
  withLeaseOf,
} from './action-results';

const messageOf = (error: unknown) =>
  resultMessage({ ...notSaved(problemOf(error)), id: 1, lockId: 'l', effect: null }, 0, 0);

it('a request without an answer is not reported as not saved', () => {
  const refused = Object.assign(new Error('Only operators may.'), {
    data: { reason: 'FORBIDDEN' },
  });
  expect(messageOf(refused)).toBe('Not saved. Only operators may.');
  expect(messageOf(new Error('Failed to fetch'))).toBe(
    'It is not known whether this was saved. Server not responding.',
  );
});

it('counts down to the actual end of a lease that was renewed just before the block', () => {
  const stopped: ActionOutcome = { kind: 'stopped', token: 7, owner: 'w', expiresAt: 10_000 };
  const hold = (token: number) => ({ token, expiresAt: 14_000 }) as HoldRow;
  const result = { ...stopped, id: 1, lockId: 'l', effect: null };
  const messageOf = (held: HoldRow | null) =>
    resultMessage(withLeaseOf(result, { hold: held }), 0, 4_000);
  expect(messageOf(hold(7))).toContain('hold ends in 00:10');
  expect(messageOf(hold(8))).toContain('hold ends in 00:06');
  expect(messageOf(null)).toContain('hold ends in 00:06');
});

it('shows a lock as free after its release only if it is not shared, frozen or delayed', () => {
  const forced = { kind: 'forced', token: 7, waitersAfter: 0, delayMs: 0 } as const;
  const labelOf = (isFree: boolean) => {
    const outcome: ActionOutcome = { ...forced, next: { kind: 'nobody' }, isFree };
    return resultLabel({ ...outcome, id: 1, lockId: 'l', effect: null });
  };
  expect(labelOf(true)).toBe('released, now free');
  expect(labelOf(false)).toBe('released');
});

it('does not repeat the state that the badge beside it shows', () => {
  const labelOf = (kind: 'frozen' | 'unfrozen') =>
    resultLabel({ kind, id: 1, lockId: 'l', effect: null });
  expect(labelOf('frozen')).toBe('no new grants');
  expect(labelOf('unfrozen')).toBe('unfrozen');
});
