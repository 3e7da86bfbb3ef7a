import { expect, test } from 'vitest';
import type { LockEvent } from '../lock/lock-event';
import { unendedSpans } from './unended-spans';

const event = (kind: LockEvent['kind'], at: number, more: Partial<LockEvent> = {}): LockEvent => ({
  ...{ kind, at, rev: at, service: 'orders', owner: `w${more.token ?? ''}` },
  ...more,
});

test('a hold counts as open until its end is recorded, even if its grant is not', () => {
  const events = [
    event('renewed', 1, { token: 1 }),
    event('granted', 2, { token: 2, permits: 3 }),
    event('queued', 3),
    event('kept', 4, { token: 2 }),
    event('granted', 5, { token: 4 }),
    event('expired', 6, { token: 4 }),
  ];
  const open = { service: 'orders', to: null };
  expect(unendedSpans(events).holds).toEqual([
    { ...open, from: 1, owner: 'w1', token: 1 },
    { ...open, from: 2, owner: 'w2', token: 2, permits: 3 },
  ]);
});

test('a freeze counts as open until it is lifted', () => {
  const frozen = event('frozen', 1, { by: 'Ana', reason: 'stuck' });
  expect(unendedSpans([frozen]).frozen).toEqual({ by: 'Ana', reason: 'stuck', at: 1 });
  expect(unendedSpans([frozen, event('unfrozen', 2)])).toEqual({ holds: [], frozen: null });
});
