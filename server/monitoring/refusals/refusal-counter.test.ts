import { expect, it } from 'vitest';
import { MINUTE_MS } from '../../core/time-units';
import { KnownRefusals } from './known-refusals';
import { RefusalCounter } from './refusal-counter';

const LOCKS_MAX = 20_000;
const CALLER = { service: 'orders', owner: 'w1' };

/** Refuses an attempt on each of some locks, and answers how long counting them took, in ms. */
function refuse(counter: RefusalCounter, from: number, to: number, at: number): number {
  const begunAt = performance.now();
  for (let i = from; i < to; i += 1) {
    counter.note('default', { namespace: 'default', name: `lock-${i}` }, CALLER, 7, at);
  }
  counter.takeChanged();
  return performance.now() - begunAt;
}

it('attempts beyond the locks counted in a minute cost no more, and are in the sums', () => {
  const counter = new RefusalCounter();
  const countedMs = refuse(counter, 0, LOCKS_MAX, MINUTE_MS);
  // The best of several, as the machine may be busy with something else during one.
  const beyondMs = Math.min(
    ...[1, 1.5, 2].map((from) =>
      refuse(counter, from * LOCKS_MAX, (from + 0.5) * LOCKS_MAX, MINUTE_MS),
    ),
  );
  expect(beyondMs).toBeLessThan(5 * countedMs);
  const [total] = counter.totals();
  expect(total?.attempts).toBe(2.5 * LOCKS_MAX);
});

it('attempts after a clock was set back are known together with those before', () => {
  const counter = new RefusalCounter();
  const known = new KnownRefusals();
  const key = { namespace: 'default', name: 'lock' };
  const attempts = [30, 31, 32, 12, 13].map((minute) => {
    counter.note('default', key, CALLER, 7, minute * MINUTE_MS);
    for (const part of counter.takeChanged()) {
      const { rowId, minute, attempts } = part;
      const counts = () => part.counts();
      if (rowId) known.put(rowId, { process: 'p', minute, attempts, counts });
    }
    return known.of('default/default/lock')?.all.attempts;
  });
  expect(attempts).toEqual([1, 2, 3, 4, 5]);
});

it('the next minute may count other locks than the one before', () => {
  const counter = new RefusalCounter();
  refuse(counter, 0, LOCKS_MAX + 1, MINUTE_MS);
  const name = 'default/lock-30000';
  const beyond = { namespace: 'default', name: 'lock-30000' };
  counter.note('default', beyond, CALLER, 7, MINUTE_MS);
  expect(counter.takeChanged().map(({ lockId }) => lockId)).not.toContain(name);
  counter.note('default', beyond, CALLER, 7, 2 * MINUTE_MS);
  expect(counter.takeChanged().map(({ lockId }) => lockId)).toContain(name);
});
