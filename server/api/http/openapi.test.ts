import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiHarness, type Reply } from '@/test/api-harness';
import { DescribedWire } from '@/test/described-wire';
import { DEFAULT_POLICY, type NamespacePolicy } from '../../contract/namespace-policy';
import type { OpenApiDocument } from '../../contract/openapi/openapi-shape';
import { SERVICE_API, type ServiceProcedureName } from '../../contract/service-api';
import { backendDown, contended, unknownOutcome, unreadable } from '../../engine/refusals';
import { createApiKey } from '../../operations/api-keys/create-api-key';
import { setNamespacePolicy } from '../../operations/namespaces/set-namespace-policy';
import { createUser } from '../../operations/users/create-user';

const PATH = '/api/v1/openapi.json';
const PASSWORD = 'plough the seventh field';

let api: ApiHarness;
let key: string;
let cookie: string;
let wire: DescribedWire;
/** What happened so far, as `procedure outcome` or `procedure reason`. */
const seen = new Set<string>();

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
  await createUser(api.cli, { name: 'ana', role: 'operator', password: PASSWORD });
  cookie = await api.signIn('ana', PASSWORD);
  wire = new DescribedWire(JSON.parse((await api.send(PATH)).text) as OpenApiDocument);
});
afterAll(() => api.close());

describe('the description', () => {
  test('needs no key, and is cached until it changes', async () => {
    const { status, headers, text } = await api.send(PATH);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(headers.get('cache-control')).toBe('public, max-age=60');
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{16}$/);
    expect(JSON.parse(text)).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/api/v1' }] });
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await api.send(PATH, { headers: { 'if-none-match': known } });
      expect([again.status, again.text, again.headers.get('etag')], known).toEqual([304, '', etag]);
    }
    const other = await api.send(PATH, { headers: { 'if-none-match': '"other"' } });
    expect([other.status, other.text]).toEqual([200, text]);
    const head = await api.send(PATH, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });

  test('cannot be written', async () => {
    const { status, headers, reason } = await api.send(PATH, { method: 'POST', body: '{}' });
    expect([status, headers.get('allow'), reason]).toEqual([405, 'GET, HEAD', 'INVALID']);
  });
});

const setPolicy = (policy: NamespacePolicy | null) =>
  setNamespacePolicy(api.cli, { name: 'default', policy, reason: 'a test' });

describe('every answer matches its description:', () => {
  test('acquiring, holding, waiting', async () => {
    const ask = { name: 'a', owner: 'one', leaseMs: 60_000 };
    const granted = await call('lock.acquire', { ...ask, requestId: 'a1' }, 'granted');
    await call('lock.acquire', { ...ask, owner: 'two' }, 'held');
    await call('lock.acquire', { ...ask, owner: 'two', waitMs: 50 }, 'timeout');
    const patient = { ...ask, owner: 'two', waitMs: 60_000, requestId: 'a2' };
    await withLimits({ holdRequestMs: 50 }, () => call('lock.acquire', patient, 'queued'));
    // Without a request, its place would be kept for only 2 s.
    const waiting = api.post(key, 'lock.acquire', patient);
    await call('lock.inspect', { name: 'a' });
    await setPolicy({ ...DEFAULT_POLICY, queueLimit: 1 });
    await call('lock.acquire', { ...ask, owner: 'three', waitMs: 50 }, 'queueFull');
    await setPolicy(null);
    await call('lock.cancel', { name: 'a', owner: 'two', requestId: 'a2' }, 'cancelled');
    await waiting;
    await call('lock.cancel', { name: 'a', owner: 'two', requestId: 'a2' }, 'none');
    await call('lock.cancel', { name: 'a', owner: 'one', requestId: 'a1' }, 'released');
    await call('lock.acquire', { ...ask, requestId: 'a1' }, 'ended');
    await call('lock.check', { name: 'a', token: granted.data?.token });
    await call('lock.inspect', { name: 'a' });
    await call('lock.inspect', { name: 'it was never taken' });
    await expect
      .poll(async () => (await call('lock.list', { prefix: 'a' })).data?.locks, { timeout: 15_000 })
      .toHaveLength(1);
  });

  test('watching', async () => {
    const first = await call('lock.watch', { names: ['w'], waitMs: 0 });
    await call('lock.acquire', { name: 'w', owner: 'one', leaseMs: 60_000 }, 'granted');
    const { position } = first.data as { position: string };
    const { data } = await call('lock.watch', { names: ['w'], since: position });
    expect(data?.locks).toMatchObject([{ name: 'w', state: 'held' }]);
    await call('lock.watch', { prefix: '', waitMs: 0 });
  });

  test('acquiring several at once', async () => {
    const locks = [{ name: 'm1' }, { name: 'm2', mode: 'shared' }];
    const ask = { locks, owner: 'one', leaseMs: 60_000 };
    const names = ['m2', 'm1'];
    const granted = await call('lock.acquireMany', { ...ask, requestId: 'm' }, 'granted');
    await call('lock.acquireMany', { ...ask, requestId: 'm' }, 'granted');
    const two = { ...ask, owner: 'two' };
    await call('lock.acquireMany', two, 'held');
    await call('lock.acquireMany', { ...two, waitMs: 50 }, 'timeout');
    const patient = { ...two, waitMs: 60_000, requestId: 'n' };
    await withLimits({ holdRequestMs: 50 }, () => call('lock.acquireMany', patient, 'queued'));
    const waiting = api.post(key, 'lock.acquireMany', patient);
    await call('lock.inspect', { name: 'm1' });
    await setPolicy({ ...DEFAULT_POLICY, queueLimit: 1 });
    await call('lock.acquireMany', { ...two, owner: 'three', waitMs: 50 }, 'queueFull');
    await setPolicy(null);
    await call('lock.cancelMany', { names, owner: 'two', requestId: 'n' }, 'cancelled');
    await waiting;
    await call('lock.cancelMany', { names, owner: 'two', requestId: 'n' }, 'none');
    const grants = granted.data?.grants as { token: number }[] | undefined;
    const mine = { name: 'm1', owner: 'one', token: grants?.[0]?.token };
    await call('lock.release', mine, 'released');
    await call('lock.acquireMany', { ...ask, requestId: 'm' }, 'ended');
    const freeze = { namespace: 'default', name: 'm1', rev: 0, reason: 'a repair' };
    await api.console(cookie, 'locks.freeze', freeze, 'mutation', { origin: api.url });
    await call('lock.acquireMany', two, 'frozen');
    await call('lock.cancelMany', { names, owner: 'one', requestId: 'm' }, 'released');
  });

  test('renewing, re-entering, releasing, losing', async () => {
    const ask = { name: 'b', owner: 'one', leaseMs: 60_000, reentrant: true };
    const { data } = await call('lock.acquire', ask, 'granted');
    await call('lock.acquire', ask, 'granted');
    const mine = { name: 'b', owner: 'one', token: data?.token as number };
    await call('lock.renew', { ...mine, leaseMs: 20_000 }, 'renewed');
    await call('lock.release', mine, 'decremented');
    await call('lock.release', mine, 'released');
    await call('lock.release', mine, 'lost');
    await call('lock.renew', { ...mine, leaseMs: 20_000 }, 'lost');
  });

  test('holding it at least for a while', async () => {
    const ask = { name: 'f', owner: 'one', leaseMs: 60_000, holdAtLeastMs: 60_000 };
    const { data } = await call('lock.acquire', ask, 'granted');
    const mine = { name: 'f', owner: 'one', token: data?.token as number };
    const { data: released } = await call('lock.release', mine, 'released');
    expect(released?.freesInMs).toBeGreaterThan(5_000);
    const renewed = await call('lock.renew', { ...mine, leaseMs: 60_000 }, 'released');
    expect(renewed.data?.freesAt).toBe(released?.freesAt);
    await call('lock.acquire', { ...ask, owner: 'two' }, 'held');
    await call('lock.inspect', { name: 'f' });
    await call('lock.acquire', { ...ask, name: 'g', holdAtLeastMs: 60_001 }, 'INVALID');
    const locks = [{ name: 'm3' }, { name: 'm4' }];
    const { name: _, ...several } = ask;
    await call('lock.acquireMany', { ...several, locks }, 'granted');
    await call('lock.acquireMany', { ...several, locks, holdAtLeastMs: 60_001 }, 'INVALID');
  });

  test('losing it to an operator', async () => {
    const ask = { name: 'c', owner: 'one', leaseMs: 60_000 };
    const { data } = await call('lock.acquire', ask, 'granted');
    const act = { namespace: 'default', name: 'c', token: data?.token, rev: 0, reason: 'gone' };
    await api.console(cookie, 'locks.forceRelease', act, 'mutation', { origin: api.url });
    const mine = { name: 'c', owner: 'one', token: data?.token as number };
    const lost = await call('lock.renew', { ...mine, leaseMs: 60_000 }, 'lost');
    expect(lost.data).toMatchObject({ cause: 'forced', by: 'ana', reason: 'gone' });
  });

  test('counting', async () => {
    const tickets = { name: 'tickets' };
    await call('counter.get', tickets, 'NOT_FOUND');
    await call('counter.add', { ...tickets, delta: 1 }, 'NOT_FOUND');
    await call('counter.create', { ...tickets, initial: 2, floor: 0 }, 'created');
    await call('counter.create', tickets, 'exists');
    await call('counter.add', { ...tickets, delta: -2, requestId: 't' }, 'applied');
    await call('counter.add', { ...tickets, delta: -1 }, 'outOfBounds');
    await call('counter.get', tickets);
  });

  test('sharing it; operator actions on it', async () => {
    const ask = { name: 'e', owner: 'one', leaseMs: 60_000, mode: 'shared' };
    const { data } = await call('lock.acquire', ask, 'granted');
    await call('lock.acquire', { ...ask, owner: 'two' }, 'granted');
    const token = data?.token as number;
    const seen = { namespace: 'default', name: 'e', rev: 0, reason: 'a repair' };
    const act = (verb: string, more = {}) =>
      api.console(cookie, `locks.${verb}`, { ...seen, ...more }, 'mutation', { origin: api.url });
    await act('freeze');
    await act('askRelease', { token });
    await act('stopRenewals', { token });
    await call('lock.acquire', { ...ask, owner: 'three' }, 'frozen');
    await call('lock.inspect', { name: 'e' });
    const mine = { name: 'e', owner: 'one', token, leaseMs: 20_000 };
    const renewed = await call('lock.renew', mine, 'renewed');
    const remark = { by: 'ana', reason: 'a repair' };
    expect(renewed.data).toMatchObject({ askedToRelease: remark, renewalsStopped: remark });
  });

  test('permits, and an operator who changes their capacity', async () => {
    const ask = { name: 'p', owner: 'one', leaseMs: 60_000, mode: 'permit', capacity: 3 };
    await call('lock.acquire', { ...ask, permits: 2 }, 'granted');
    await call('lock.acquire', { ...ask, owner: 'two', permits: 2 }, 'held');
    const change = { namespace: 'default', name: 'p', rev: 0, seenCapacity: 3, capacity: 2 };
    const why = { reason: 'a small database' };
    const options = { origin: api.url };
    await api.console(cookie, 'locks.setCapacity', { ...change, ...why }, 'mutation', options);
    const { data } = await call('lock.inspect', { name: 'p' });
    expect(data?.permits).toEqual({ capacity: 2, inUse: 2, named: 3 });
    await call('lock.list', { prefix: 'p' });
    await call('lock.acquire', { ...ask, permits: 3 }, 'CONFLICT');
    await call('lock.acquire', { ...ask, capacity: 5 }, 'INVALID');
  });

  test('what a witness alone may call', async () => {
    const input = { name: 'host-4', namespaces: [], witness: true };
    const { key: witness } = await createApiKey(api.cli, input);
    const { example } = SERVICE_API['witness.report'];
    const { host, bootId, pidNamespace } = example;
    const meta = { host, bootId, pidNamespace, pid: '7', pidStart: '9' };
    const ask = { name: 'witnessed', owner: 'one', leaseMs: 60_000, meta };
    await call('lock.acquire', ask, 'granted');
    await call('witness.report', example, 'FORBIDDEN');
    const report = () => call('witness.report', example, undefined, witness);
    await expect
      .poll(async () => (await report()).data?.processes, { timeout: 15_000 })
      .toEqual([{ pid: 7, pidStart: '9' }]);
    for (const name of Object.keys(SERVICE_API) as ServiceProcedureName[]) {
      if (name === 'witness.report') continue;
      await call(name, SERVICE_API[name].example, 'FORBIDDEN', witness);
    }
  });

  test('every refusal', async () => {
    const ask = { name: 'd', owner: 'one', leaseMs: 60_000 };
    for (const name of Object.keys(SERVICE_API) as ServiceProcedureName[]) {
      const { example } = SERVICE_API[name];
      if (name !== 'lock.list') await call(name, {}, 'INVALID');
      await call(name, '{', 'INVALID');
      await call(name, { ...example, unknownField: 1 }, 'INVALID');
      await call(name, example, 'UNAUTHENTICATED', 'no key');
      if (name === 'witness.report') continue;
      await call(name, { ...example, namespace: 'elsewhere' }, 'FORBIDDEN');
      // These are answered without a backend.
      if (name === 'lock.list' || name === 'lock.watch') continue;
      await withFailure(contended(), () => call(name, example, 'CONTENDED'));
      await withFailure(backendDown(null), () => call(name, example, 'BACKEND_DOWN'));
      await withFailure(unreadable(null), () => call(name, example, 'UNSUPPORTED'));
      await withFailure(unknownOutcome(null), () => call(name, example, 'UNKNOWN'));
      await withFailure(new Error('a fault'), () => call(name, example, 'INTERNAL'));
    }
    await call('lock.acquire', { ...ask, waitMs: 30_000 }, 'INVALID');
    await call('lock.acquire', { ...ask, meta: { a: 'x'.repeat(300_000) } }, 'TOO_LARGE');
    const { data } = await call('lock.acquire', ask, 'granted');
    const theirs = { name: 'd', owner: 'one', token: data?.token as number };
    const other = await api.key('billing');
    await call('lock.release', theirs, 'FORBIDDEN', other);
  });

  test('every described outcome has occurred', () => {
    for (const name of Object.keys(SERVICE_API)) {
      for (const outcome of wire.outcomes(name)) expect(seen).toContain(`${name} ${outcome}`);
    }
  });
});

/** Calls a procedure, expects an outcome or reason, and checks the reply by the description. */
async function call(
  name: ServiceProcedureName,
  input: object | string,
  expected?: string,
  by = key,
) {
  const isQuery = SERVICE_API[name].kind === 'query';
  const reply: Reply = await (isQuery ? api.get(by, name, input) : api.post(by, name, input));
  expect(wire.replyComplaints(name, reply)).toEqual([]);
  const result = (reply.data?.outcome as string | undefined) ?? reply.reason;
  expect(result, reply.text).toBe(expected);
  if (reply.status === 200) expect(wire.inputComplaints(name, input), name).toEqual([]);
  seen.add(`${name} ${result}`);
  return reply;
}

const engine = () => {
  const found = api.runtime.engines.get('default');
  if (!found) throw new Error('no engine');
  return found;
};

/** Shortens limits that are too long for a test. */
async function withLimits(
  limits: { holdRequestMs?: number },
  run: () => Promise<unknown>,
): Promise<void> {
  const { acquire, multiLocks } = engine();
  const acquireSet = multiLocks.acquire;
  engine().acquire = (at, ask, wait) => acquire.call(engine(), at, ask, { ...wait, ...limits });
  multiLocks.acquire = (at, ask, wait) =>
    acquireSet.call(multiLocks, at, ask, { ...wait, ...limits });
  await run();
  engine().acquire = acquire;
  multiLocks.acquire = acquireSet;
}

/** Runs a call while every command fails in the store. */
async function withFailure(failure: Error, call: () => Promise<unknown>): Promise<void> {
  const { acquire, run, count, multiLocks } = engine();
  const ofSets = { acquire: multiLocks.acquire, cancel: multiLocks.cancel };
  engine().acquire = () => Promise.reject(failure);
  engine().run = () => Promise.reject(failure);
  engine().count = () => Promise.reject(failure);
  multiLocks.acquire = () => Promise.reject(failure);
  multiLocks.cancel = () => Promise.reject(failure);
  await call();
  Object.assign(engine(), { acquire, run, count });
  Object.assign(multiLocks, ofSets);
}
