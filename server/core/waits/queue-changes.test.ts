import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LockDetail, WaiterRow } from '../../contract/console/lock-row';
import { detailAfter } from '../../contract/console/waits/lock-detail-message';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';
import { queueChanges } from './queue-changes';

const waiter = (ticket: number, part: Partial<WaiterRow> = {}): WaiterRow => ({
  ...{ ticket, mode: 'exclusive', owner: `w${ticket}`, service: 'orders', process: 'p1' },
  ...{ enqueuedAt: ticket, patienceUntil: 1_000 + ticket, detached: false },
  ...part,
});

/** The queue as a page has it after the changes from one to the other. */
function followed(before: WaiterRow[], after: WaiterRow[]): WaiterRow[] | null {
  const queue = queueChanges(before, after);
  const lock = { waiters: before } as LockDetail;
  const frame = {} as Omit<LockDetail, 'waiters'>;
  return queue && detailAfter(lock, { kind: 'changes', frame, queue, asOf: 0 }).waiters;
}

it('names exactly the waiters that left, changed or joined', () => {
  const before = [waiter(1), waiter(2), waiter(3), waiter(4)];
  const changed = waiter(3, { detached: true });
  const after = [waiter(2), changed, waiter(4), waiter(9), waiter(5)];
  expect(queueChanges(before, after)).toEqual({
    gone: [1],
    waiters: [changed, waiter(9), waiter(5)],
  });
  expect(followed(before, after)).toEqual(after);
});

it('keeps an unchanged queue the same object, and unchanged waiters too', () => {
  const before = [waiter(1), waiter(2)];
  expect(followed(before, [waiter(1), waiter(2)])).toBe(before);
  expect(followed(before, [waiter(2), waiter(3)])?.[0]).toBe(before[1]);
});

it('gives no changes if waiters changed places: the queue is then sent completely', () => {
  expect(queueChanges([waiter(1), waiter(2)], [waiter(2), waiter(1)])).toBeNull();
  expect(queueChanges([waiter(1)], [waiter(2), waiter(1)])).toBeNull();
});

it(
  'brings a page up to date through any course of a queue',
  () => {
    const step = fc.record({ leave: fc.nat(3), join: fc.nat(3), flip: fc.nat(7) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let [now, shown]: WaiterRow[][] = [[], []];
        for (const [at, { leave, join, flip }] of steps.entries()) {
          const joined = Array.from({ length: join }, (_, i) => waiter(at * 10 + i));
          now = [...(now ?? []).filter(({ ticket }) => ticket % 4 !== leave), ...joined].map(
            (one) => (one.ticket % 8 === flip ? { ...one, detached: !one.detached } : one),
          );
          shown = followed(shown ?? [], now) ?? [];
          expect(shown).toEqual(now);
        }
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);
