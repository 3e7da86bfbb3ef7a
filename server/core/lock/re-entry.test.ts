import { describe, expect, it } from 'vitest';
import {
  type AcquireOptions,
  acquire,
  cancel,
  release,
  setCapacity,
} from '../testing/lock-requests';
import { LockWorld } from '../testing/lock-world';
import { HOLD_COUNT_MAX } from './lock-record';

const ENTER = { waitMs: 60_000, reentrant: true };

/** The rest of an acquire in the mode of this one. */
const demandOf = ({ mode = 'exclusive', permits, capacity }: AcquireOptions): AcquireOptions =>
  permits === undefined || capacity === undefined ? { mode } : { mode, permits, capacity };

/** A lock for which two acquires of w1 and then one of w2 waited; the first of them is granted. */
function afterFirst(options: AcquireOptions = ENTER) {
  const world = new LockWorld();
  const demand = demandOf(options);
  const holder = world.run(acquire('orders/w0', demand));
  const second = acquire('orders/w1', { ...options, requestId: 'second' });
  world.run(acquire('orders/w1', { ...options, requestId: 'first' }));
  world.run(second);
  world.run(acquire('orders/w2', { ...demand, waitMs: 60_000 }));
  world.pass(1_000);
  if (holder.outcome !== 'granted') throw new Error(holder.outcome);
  world.run(release('orders/w0', holder.token));
  const [hold] = world.record?.holds ?? [];
  if (!hold) throw new Error('None was granted.');
  return { world, second, token: hold.token };
}

describe('a re-entrant acquire that waits while another one of its owner is granted', () => {
  it('enters the lock when it asks again, and leaves the queue', () => {
    const { world, second, token } = afterFirst();
    expect(world.record?.queue).toHaveLength(2);
    expect(world.run(second)).toMatchObject({ outcome: 'granted', token, holdCount: 2 });
    expect(world.record?.queue).toMatchObject([{ owner: 'w2' }]);
    expect(world.run(second)).toMatchObject({ outcome: 'granted', token, holdCount: 2 });
    expect(world.run(release('orders/w1', token))).toMatchObject({ outcome: 'decremented' });
    expect(world.run(release('orders/w1', token))).toEqual({ outcome: 'released' });
    expect(world.record?.holds).toMatchObject([{ owner: 'w2' }]);
  });

  it('is undone by its cancel, which leaves the other entry', () => {
    const { world, second, token } = afterFirst();
    world.run(second);
    expect(world.run(cancel('orders/w1', 'second'))).toEqual({ outcome: 'released' });
    expect(world.record?.holds).toMatchObject([{ token, count: 1 }]);
  });

  it('takes no more permits, and leaves those that it waited for to the next', () => {
    const options = { ...ENTER, mode: 'permit', permits: 2, capacity: 3 } as const;
    const { world, second, token } = afterFirst(options);
    expect(world.run(second)).toMatchObject({ outcome: 'granted', token, holdCount: 2 });
    expect(world.record?.queue).toMatchObject([{ owner: 'w2' }]);
    world.run(setCapacity(3, 4));
    expect(world.record?.holds).toMatchObject([{ owner: 'w1', count: 2 }, { owner: 'w2' }]);
  });

  it.each<[string, AcquireOptions]>([
    ['it does not ask for that', { waitMs: 60_000 }],
    ['the hold has another mode', { ...ENTER, mode: 'shared' }],
  ])('keeps its place if %s', (_, options) => {
    const { world, token } = afterFirst({ waitMs: 60_000 });
    const third = acquire('orders/w1', { ...options, requestId: 'third' });
    expect(world.run(third)).toMatchObject({ outcome: 'queued', place: 3 });
    expect(world.run(third)).toMatchObject({ outcome: 'queued', place: 3 });
    expect(world.record?.holds).toMatchObject([{ token, count: 1 }]);
  });

  it('keeps its place if the hold was entered as often as possible', () => {
    const { world, second, token } = afterFirst();
    for (let count = 1; count < HOLD_COUNT_MAX; count += 1) {
      world.run(acquire('orders/w1', { reentrant: true }));
    }
    expect(world.run(second)).toMatchObject({ outcome: 'queued', place: 1 });
    expect(world.record?.holds).toMatchObject([{ token, count: HOLD_COUNT_MAX }]);
  });
});
