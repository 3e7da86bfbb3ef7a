import { expect, test } from 'vitest';
import { LIST_COST_CALLS } from '../../../operations/locks/for-services/list-locks';
import { serviceWork } from './call-class';

test('a batch costs the sum of its calls, and is urgent only if all of them are', () => {
  expect(serviceWork('lock.renew')).toEqual({ callClass: 'hold', calls: 1 });
  expect(serviceWork('lock.list')).toEqual({ callClass: 'service', calls: LIST_COST_CALLS });
  expect(serviceWork('lock.renew,lock.release')).toEqual({ callClass: 'hold', calls: 2 });
  const mixed = { callClass: 'service', calls: 2 * LIST_COST_CALLS + 1 };
  expect(serviceWork('lock.list,lock.inspect,lock.list')).toEqual(mixed);
});
