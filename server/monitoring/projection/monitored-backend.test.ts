import { expect, test } from 'vitest';
import type { BackendHealth } from '../../contract/console/backend-health';
import { notServing, recordHealth } from './monitored-backend';

test('an error says why a backend rejects requests, not that it is not responding', () => {
  const effect = 'so nothing can be deleted on it.';
  expect(notServing({ id: 'cache' }, effect).message).toBe(
    'The backend "cache" is not responding, so nothing can be deleted on it.',
  );
  expect(notServing({ id: 'cache', refusal: 'It is full.' }, effect)).toMatchObject({
    reason: 'BACKEND_DOWN',
    message: 'The backend "cache" rejects requests, so nothing can be deleted on it. It is full.',
  });
  const disabled = { id: 'orders', refusal: 'It was resharded.', shards: [] };
  expect(notServing(disabled, effect).message).toBe(
    'The backend "orders" is disabled on this server, so nothing can be deleted on it. ' +
      'It was resharded.',
  );
});

test('a shard that serves rejects requests while all of its backend is disabled here', () => {
  const health: BackendHealth = {
    ...{ id: 'orders.a', kind: 'mysql', reachable: true },
    ...{ latencyMs: 1, silentForMs: 0, clockOffsetMs: 0 },
  };
  const on = (refusal: string | null) => {
    const shard = { backend: 'orders', health: () => ({ ...health, refusal }) };
    return recordHealth({ id: 'orders.a', engine: { health: () => health }, shard });
  };
  expect(on(null)).toEqual({ ...health, id: 'orders' });
  const disabled = { id: 'orders', reachable: false, refusal: 'It was resharded.', shards: [] };
  expect(on('It was resharded.')).toEqual({ ...health, ...disabled });
});
