import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { createApiKey } from '../api-keys/create-api-key';
import { listAudit } from '../audit/list-audit';
import { setNamespacePolicy } from '../namespaces/set-namespace-policy';
import { startReleasingOrphans } from './release-orphans';

const HOST = {
  host: 'host-4',
  bootId: '12e93e48-dfe0-4750-ad11-60da4f9dcf82',
  pidNamespace: '4026531836',
};
const KERNEL = { kind: 'host', witness: 'host-4' } as const;
const PODS = { kind: 'url', witness: 'pods' } as const;

let api: ApiHarness;
let key: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  for (const name of ['careful', 'late']) await api.namespace(name);
  key = await api.key('billing', ['default', 'careful', 'late']);
  const policy = { ...DEFAULT_POLICY, releaseOrphans: true };
  await setNamespacePolicy(api.cli, { name: 'default', policy, reason: 'two witnesses' });
});
afterAll(() => api.close());

/** Takes a lock as a process, and says how to report on it. */
async function take(namespace: string, name: string, pid: number, more: object = {}) {
  const process = { ...HOST, pid: String(pid), pidStart: '881234' };
  const ask = { namespace, name, owner: 'one', leaseMs: 600_000, meta: process, ...more };
  const { data } = await api.post(key, 'lock.acquire', ask);
  const { evidence } = api.runtime;
  await expect.poll(() => evidence.holders.ofProcess(process), { timeout: 10_000 }).toBeDefined();
  const report = async (by: typeof KERNEL | typeof PODS) => {
    const holder = evidence.holders.ofProcess(process);
    await evidence.note(by, holder ? [[holder, { state: 'dead', evidence: 'gone' }]] : []);
  };
  const state = async () => (await api.get(key, 'lock.inspect', { namespace, name })).data?.state;
  return { token: data?.token, process, report, state };
}

test('only two witnesses of different kinds cause a release, if the policy allows it', async () => {
  const twice = await take('default', 'proven twice', 7);
  const once = await take('default', 'proven once', 8);
  const elsewhere = await take('careful', 'proven twice', 9);
  await once.report(PODS);
  await elsewhere.report(KERNEL);
  await elsewhere.report(PODS);
  await twice.report(PODS);
  await twice.report(KERNEL);

  await expect.poll(twice.state, { timeout: 20_000 }).toBe('free');
  expect([await once.state(), await elsewhere.state()]).toEqual(['held', 'held']);
  const { rows } = await listAudit(api.cli, { limit: 50 });
  expect(rows.filter(({ act }) => act === 'lock.forceRelease')).toMatchObject([
    {
      actor: 'Lockyard',
      actorKind: 'system',
      subject: 'proven twice',
      reason: 'Its process is dead. host-4: gone; pods: gone',
      seen: { token: twice.token },
      outcome: 'done',
    },
  ]);
});

test('a host witness reports one line without control characters, whatever it sends', async () => {
  const { process } = await take('careful', 'reported on', 31);
  const name = 'hostile witness';
  const witness = await createApiKey(api.cli, { name, namespaces: [], witness: true });
  const evidence = 'gone\n\u001b]0;owned\u0007\u202e\ud800';
  const processes = [{ pid: 31, pidStart: '881234', state: 'dead', evidence }];
  const reply = await api.post(witness.key, 'witness.report', { ...HOST, processes });
  expect(reply.status, reply.text).toBe(200);
  const known = api.runtime.evidence;
  const holder = known.holders.ofProcess(process);
  expect(known.lastOf(holder?.id ?? '', { kind: 'host', witness: name })).toMatchObject({
    state: 'dead',
    evidence: 'gone ]0;owned',
  });
});

test('a lock is not released for a dead holder before its minimum hold time', async () => {
  // As if they were on two shards, the clock of one 10 min ahead.
  const offset = vi.spyOn(api.runtime.projection, 'clockOffsetMs');
  offset.mockImplementation((_, { name }) => (name === 'kept' ? 0 : 600_000));
  const least = { leaseMs: 900_000, holdAtLeastMs: 300_000 };
  const kept = await take('default', 'kept', 27, least);
  const other = await take('default', 'kept no longer', 28, least);
  for (const orphan of [kept, other]) {
    await orphan.report(PODS);
    await orphan.report(KERNEL);
  }
  await expect.poll(other.state, { timeout: 20_000 }).toBe('free');
  expect(await kept.state()).toBe('held');
  offset.mockRestore();
});

test('a failed release does not prevent the release of other orphaned locks', async () => {
  const { projection } = api.runtime;
  const detail = projection.detail.bind(projection);
  projection.detail = (namespace, name) =>
    name === 'fails' ? Promise.reject(new Error('its backend is away')) : detail(namespace, name);
  const fails = await take('default', 'fails', 17);
  const others = await Promise.all([18, 19].map((pid) => take('default', `other ${pid}`, pid)));
  for (const orphan of [fails, ...others]) {
    await orphan.report(PODS);
    await orphan.report(KERNEL);
  }
  for (const { state } of others) await expect.poll(state, { timeout: 20_000 }).toBe('free');
  expect(await fails.state()).toBe('held');
  projection.detail = detail;
  await expect.poll(fails.state, { timeout: 20_000 }).toBe('free');
});

test('a server that ends finishes the release that it has begun, and begins no other', async () => {
  const orphans = await Promise.all([41, 42, 43].map((pid) => take('late', `dead ${pid}`, pid)));
  for (const { report } of orphans) {
    await report(PODS);
    await report(KERNEL);
  }
  // The server itself releases nothing in this namespace.
  const policyOf = (name: string) => ({ ...DEFAULT_POLICY, releaseOrphans: name === 'late' });
  const namespaces = Object.create(api.runtime.namespaces, { policyOf: { value: policyOf } });
  let stopped: Promise<void> | undefined;
  const detail = async (namespace: string, name: string) => {
    const found = await api.runtime.projection.detail(namespace, name);
    stopped ??= stop();
    return found;
  };
  const projection = Object.create(api.runtime.projection, { detail: { value: detail } });
  const stop = startReleasingOrphans({ ...api.runtime, namespaces, projection }, () => true);
  await expect.poll(() => stopped !== undefined, { timeout: 20_000 }).toBe(true);
  await stopped;
  const states = await Promise.all(orphans.map(({ state }) => state()));
  expect(states.sort()).toEqual(['free', 'held', 'held']);
});
