import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPrivateZookeeper } from '@/scripts/servers/private-zookeeper.mjs';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness, type Reply } from '@/test/api-harness';

const PASSWORD = 'plough the eighth field';
const SOON = { timeout: 15_000, interval: 50 };

let zookeeper: Awaited<ReturnType<typeof startPrivateZookeeper>>;
let api: ApiHarness;
let key: string;
let cookie: string;

beforeAll(async () => {
  zookeeper = await startPrivateZookeeper();
  api = await ApiHarness.start({ LOCKYARD_BACKEND_ORDERS: `${zookeeper.url}/teams/orders` });
  await api.namespace('orders', 'orders');
  key = await api.key('shop', ['orders']);
  await createUser(api.cli, { name: 'otto', role: 'operator', password: PASSWORD });
  cookie = await api.signIn('otto', PASSWORD);
});
afterAll(async () => {
  await api?.close();
  await zookeeper?.stop();
});

const ask = { namespace: 'orders', name: 'nightly', owner: 'o', leaseMs: 60_000 };

/** The data of a call, which is repeated while a busy ZooKeeper does not answer in time. */
async function answered(call: () => Promise<Reply>): Promise<Reply['data']> {
  let data: Reply['data'];
  const isAnswered = async () => {
    ({ data } = await call());
    return data !== undefined;
  };
  await expect.poll(isAnswered, SOON).toBe(true);
  return data;
}

test('locks survive a kill of ZooKeeper, are shown, and no data loss is detected', async () => {
  const granted = await answered(() =>
    api.post(key, 'lock.acquire', { ...ask, requestId: 'take' }),
  );
  expect(granted).toMatchObject({ outcome: 'granted' });
  const listed = async () => {
    const { data } = await api.console(cookie, 'locks.list', {});
    return (data as unknown as { rows: { name: string }[] }).rows.map(({ name }) => name);
  };
  await expect.poll(listed, SOON).toEqual(['nightly']);

  zookeeper.signal('SIGKILL');
  await zookeeper.start();

  const { token } = granted as { token: number };
  const renewal = () => api.post(key, 'lock.renew', { ...ask, token });
  await expect.poll(async () => (await renewal()).data, SOON).toMatchObject({ outcome: 'renewed' });
  const backend = async () => {
    const { data } = await api.console(cookie, 'backends.list', undefined);
    return (data as unknown as { id: string }[]).find(({ id }) => id === 'orders');
  };
  await expect
    .poll(backend, SOON)
    .toMatchObject({ kind: 'zookeeper', reachable: true, loss: null });
  const back = { namespace: 'orders', name: 'nightly', owner: 'o', token, requestId: 'back' };
  const released = await answered(() => api.post(key, 'lock.release', back));
  expect(released).toEqual({ outcome: 'released' });
});
