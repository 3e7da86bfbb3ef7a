import { expect, it } from 'vitest';
import type { Granted } from '../../contract/lock/answers';
import { acquire, release } from '../../core/testing/lock-requests';
import { MultiLockWorld, multiLockOf } from '../../core/testing/multi-lock-world';
import { ProjectionRow } from '../projection/projection-row';
import { heldLock } from './held-lock';

it('the next waiter of a lock is the one served first, even if an older one joined later', () => {
  const world = new MultiLockWorld();
  const taken = (name: string) => world.run(name, acquire('orders/x')) as Granted;
  const { token } = taken('b');
  taken('c');
  const old = multiLockOf('bc', { owner: 'old', waitMs: 5_000 });
  world.runSet(old);
  world.now += 1;
  world.runSet(multiLockOf('cd', { owner: 'young', waitMs: 5_000 }));
  world.run('b', release('orders/x', token));
  world.runSet(old);
  const record = world.records.get('c');
  const [hold] = record?.holds ?? [];
  if (!record || !hold) return expect.unreachable();
  const source = { id: 'x', publicId: 'x' };
  const row = ProjectionRow.of(source, { namespace: 'n', name: 'c' }, world.now, record);
  const facts = { status: 'contended', delayMs: 0 } as const;
  expect(heldLock(row, hold, facts).next).toMatchObject({ owner: 'old', setSize: 2 });
});
