import { expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { removeNamespace } from './remove-namespace';

test('a namespace is not removed while its backend cannot be read', async () => {
  const api = await ApiHarness.start({ LOCKYARD_BACKEND_AWAY: 'redis://127.0.0.1:1' });
  const remove = (name: string) => removeNamespace(api.cli, { name, reason: 'not used any more' });
  await api.namespace('unread', 'away');
  await expect(remove('unread')).rejects.toMatchObject({
    reason: 'BACKEND_DOWN',
    message: expect.stringContaining('"away"'),
  });
  expect(await api.runtime.namespaces.get('unread')).not.toBeNull();

  await api.namespace('read');
  await expect.poll(() => api.runtime.projection.isRead('default'), { timeout: 10_000 }).toBe(true);
  expect(await remove('read')).toEqual({ name: 'read' });
  await api.close();
});
