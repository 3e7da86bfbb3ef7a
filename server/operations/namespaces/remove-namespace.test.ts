import { expect, test } from 'vitest';
import { newTestLocation, TEST_DIALECTS } from '@/db/testing/test-database';
import { ApiHarness } from '@/test/api-harness';
import { TestClock } from '../../platform/testing/test-clock';
import { createApiKey } from '../api-keys/create-api-key';
import { getLockTimeline } from '../locks/for-people/get-lock-timeline';
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

test('the timelines of its locks can be read after a namespace was removed', async () => {
  const api = await ApiHarness.start();
  await api.namespace('spare');
  await expect.poll(() => api.runtime.projection.isRead('default'), { timeout: 10_000 }).toBe(true);
  await removeNamespace(api.cli, { name: 'spare', reason: 'not used any more' });
  expect(await api.runtime.namespaces.get('spare')).toBeNull();
  const timelineIn = (namespace: string) =>
    getLockTimeline(api.cli, { namespace, name: 'a', spanMs: 60_000 });
  expect(await timelineIn('spare')).toMatchObject({ holds: [], refused: [], deaths: [] });
  await expect(timelineIn('never')).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await api.close();
});

test('a key keeps its namespace until it expires, and no longer', async () => {
  const clock = new TestClock();
  const api = await ApiHarness.start({}, { clock });
  await api.namespace('spare');
  await expect.poll(() => api.runtime.projection.isRead('default'), { timeout: 10_000 }).toBe(true);
  const remove = () =>
    removeNamespace(api.cli, { name: 'spare', reason: 'not used any more' }).then(
      () => 'removed',
      ({ reason }) => reason,
    );
  await createApiKey(api.cli, { name: 'k', namespaces: ['spare'], expiresInMs: 60_000 });
  // Until the next heartbeat the backend counts as not read for a minute.
  const timeout = 10_000;
  clock.pass(59_999);
  await expect.poll(remove, { timeout }).toBe('CONFLICT');
  clock.pass(1);
  expect(await remove()).toBe('removed');
  await api.close();
});

test.each(TEST_DIALECTS)(
  'of a removal and a new key for that namespace at the same time one is refused, on %s',
  async (dialect) => {
    const { url, remove } = await newTestLocation(dialect);
    const LOCKYARD_DATABASE_URL = url.kind === 'mysql' ? url.url : `sqlite:${url.path}`;
    const api = await ApiHarness.start({ LOCKYARD_DATABASE_URL });
    const isRead = () => api.runtime.projection.isRead('default');
    await expect.poll(isRead, { timeout: 10_000 }).toBe(true);
    for (let i = 0; i < 10; i += 1) {
      const name = `spare-${i}`;
      await api.namespace(name);
      const both = await Promise.allSettled([
        createApiKey(api.cli, { name: 'k', namespaces: [name] }),
        removeNamespace(api.cli, { name, reason: 'not used any more' }),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
    await api.close();
    await remove();
  },
);
