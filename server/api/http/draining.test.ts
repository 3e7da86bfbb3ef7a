import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { shutDown } from '@/server/bootstrap/shutdown/shut-down';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness } from '@/test/api-harness';
import { EventStream } from '@/test/event-stream';

test('live answers yes, ready whether the database responds, and neither says more', async () => {
  const api = await ApiHarness.start();
  const live = await api.send('/api/health/live');
  expect([live.status, live.text]).toEqual([200, '{"ok":true}']);
  const ready = await api.send('/api/health/ready');
  expect([ready.status, ready.text]).toEqual([200, '{"ok":true}']);
  api.handlers.startDraining();
  const draining = await api.send('/api/health/ready');
  expect([draining.status, draining.text]).toEqual([503, '{"ok":false}']);
  expect((await api.send('/api/health/live')).status).toBe(200);
  await api.close();
});

test('health is answered to GET, and to HEAD and OPTIONS, which balancers also send', async () => {
  const api = await ApiHarness.start();
  for (const path of ['/api/health/live', '/api/health/ready']) {
    const reply = (method: string) => fetch(api.url + path, { method });
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      expect([method, (await reply(method)).status]).toEqual([method, 200]);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await reply(method);
      const answer = [method, status, headers.get('allow')];
      expect(answer).toEqual([method, 405, 'GET, HEAD, OPTIONS']);
    }
  }
  await api.close();
});

test('a server that shuts down answers waiters `queued`, and keeps leases', async () => {
  const api = await ApiHarness.start();
  const key = await api.key('orders');
  const password = 'plough the seventh field';
  await createUser(api.cli, { name: 'vera', role: 'viewer', password });
  const cookie = await api.signIn('vera', password);
  const stream = await EventStream.open(`${api.url}/api/trpc/locks.watch?input={}`, { cookie });
  await stream.nextValue();

  const ask = { name: 'busy', owner: 'worker-1', leaseMs: 60_000 };
  const held = await api.post(key, 'lock.acquire', ask);
  const waiting = ['a', 'b', 'c'].map((owner) =>
    api.post(key, 'lock.acquire', { ...ask, owner, waitMs: 20_000, requestId: owner }),
  );
  const waiters = async () => {
    const { data } = await api.get(key, 'lock.inspect', { name: 'busy' });
    return (data as { waiters: unknown[] }).waiters.length;
  };
  await expect.poll(waiters).toBe(3);

  const startedAt = performance.now();
  const { server, handlers, runtime } = api;
  const down = shutDown({ server, handlers, runtime, closePages: async () => undefined });
  for (const reply of await Promise.all(waiting)) {
    expect([reply.status, reply.data?.outcome], reply.text).toEqual([200, 'queued']);
    expect(reply.headers.get('connection')).toBe('close');
  }
  await down;
  expect(performance.now() - startedAt).toBeLessThan(12_000);
  await expect(drainToEnd(stream)).rejects.toThrow();
  await expect(api.send('/api/health/live')).rejects.toThrow();
  expect(held.data).toMatchObject({ outcome: 'granted' });
  await api.close();
});

test('a request that is on its way when a server shuts down is answered', async () => {
  const api = await ApiHarness.start();
  const key = await api.key('orders');
  const line = connect(Number(new URL(api.url).port), '127.0.0.1').setEncoding('utf8');
  let text = '';
  line
    .on('error', () => undefined)
    .on('data', (more) => {
      text += more;
    });
  const head = ['POST /api/v1/counter.create HTTP/1.1', 'Host: localhost'];
  const more = ['Content-Type: application/json', `Authorization: Bearer ${key}`];
  const body = '{"name":"stock"}';
  const length = `Content-Length: ${body.length}`;
  const request = `${[...head, ...more, length].join('\r\n')}\r\n\r\n${body}`;
  line.write(request);
  await expect.poll(() => text, { timeout: 15_000 }).toContain('"created"');

  text = '';
  const { server, handlers, runtime } = api;
  const down = shutDown({ server, handlers, runtime, closePages: async () => undefined });
  line.write(request);
  await down;
  expect(text).toContain('"exists"');
  expect(text).toMatch(/^connection: close/im);
  line.destroy();
  await api.close();
});

async function drainToEnd(stream: EventStream): Promise<void> {
  while (await stream.next());
}
