import { expect, it } from 'vitest';
import type { LockRecord } from '../lock/lock-record';
import { acquire, release } from '../testing/lock-requests';
import { MultiLockWorld, multiLockOf } from '../testing/multi-lock-world';

it.each([
  { what: 'a lock that was held before', wasHeld: true },
  { what: 'a lock that was never written', wasHeld: false },
])('a multi-lock with $what is not answered `ended` by a read from before its grant', (of) => {
  const world = new MultiLockWorld();
  if (of.wasHeld) {
    const earlier = world.run('a', acquire('orders/earlier'));
    if (earlier.outcome !== 'granted') throw new Error('The lock is not free.');
    world.run('a', release('orders/earlier', earlier.token));
  }
  const before = world.records.get('a');
  const set = multiLockOf('ab', { requestId: 'r1' });
  world.runSet(set);
  const after = world.records.get('a') as LockRecord;
  if (before) world.records.set('a', before);
  else world.records.delete('a');
  expect(() => world.runSet(set, 'p2')).toThrow(expect.objectContaining({ reason: 'CONTENDED' }));
  world.records.set('a', after);
  expect(world.runSet(set, 'p2').outcome).toBe('granted');
});
