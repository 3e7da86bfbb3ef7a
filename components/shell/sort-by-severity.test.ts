import { expect, test } from 'vitest';
import type { BackendHealth } from '@/server/contract/console/backend-health';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import { isHealthy, sortBySeverity } from './sort-by-severity';

const backend = (id: string, more: Partial<BackendHealth> = {}) =>
  ({ id, reachable: true, loss: null, ...more }) as BackendHealth;
const closed = (id: string) => ({ backend: id, closedBecause: 'A replica.' }) as GuaranteeRow;

test('silent backends come first, then those that grant nothing; others keep their order', () => {
  const backends = [
    backend('archive'),
    backend('cache', { loss: { quietForMs: 20_000 } as NonNullable<BackendHealth['loss']> }),
    backend('default', { loss: { quietForMs: 0 } as NonNullable<BackendHealth['loss']> }),
    backend('jobs', { reachable: false }),
    backend('orders'),
  ];
  const ids = sortBySeverity(backends, [closed('orders')]).map(({ id }) => id);
  expect(ids).toEqual(['jobs', 'cache', 'orders', 'archive', 'default']);
  const healthy = backends.filter((each) => isHealthy(each, [closed('orders')]));
  expect(healthy.map(({ id }) => id)).toEqual(['archive', 'default']);
});
