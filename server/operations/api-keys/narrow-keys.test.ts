import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestClock } from '@/server/platform/testing/test-clock';
import { ApiHarness } from '@/test/api-harness';
import { type CreateKeyInput, EXPIRES_AT_MAX } from '../../contract/console/access-inputs';
import { KEY_VERBS } from '../../contract/key-verbs';
import { SERVICE_API, type ServiceProcedureName } from '../../contract/service-api';
import { DAY_MS } from '../../core/time-units';
import { changeApiKey } from './change-api-key';
import { createApiKey } from './create-api-key';
import { listAllApiKeys } from './list-api-keys';
import { revokeApiKey } from './revoke-api-key';
import { rotateApiKey } from './rotate-api-key';

const names = Object.keys(SERVICE_API) as ServiceProcedureName[];
const ofServices = names.filter((name) => SERVICE_API[name].verb !== null);

let api: ApiHarness;
let clock: TestClock;
beforeAll(async () => {
  clock = new TestClock();
  api = await ApiHarness.start({}, { clock });
});
afterAll(() => api.close());

let count = 0;
const create = (input: Partial<CreateKeyInput>) =>
  createApiKey(api.cli, { name: `service-${++count}`, namespaces: ['default'], ...input });

const call = (key: string, procedure: ServiceProcedureName, input: unknown) =>
  SERVICE_API[procedure].kind === 'query'
    ? api.get(key, procedure, input)
    : api.post(key, procedure, input);

/** The same call by tRPC's adapter, in place of the fast path. */
const callInBatch = (key: string, procedure: ServiceProcedureName, input: unknown) => {
  const text = JSON.stringify({ 0: input });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return SERVICE_API[procedure].kind === 'query'
    ? api.send(`/api/v1/${procedure}?batch=1&input=${encodeURIComponent(text)}`, { headers })
    : api.send(`/api/v1/${procedure}?batch=1`, { method: 'POST', headers, body: text });
};

describe.each(KEY_VERBS)('a key that may only %s', (verb) => {
  let key: string;
  beforeAll(async () => {
    ({ key } = await create({ verbs: [verb] }));
  });

  test.each(ofServices)('may call %s exactly if that is its verb', async (procedure) => {
    const { example } = SERVICE_API[procedure];
    const isIts = SERVICE_API[procedure].verb === verb;
    const reply = await call(key, procedure, example);
    const batched = await callInBatch(key, procedure, example);
    if (isIts) {
      expect([401, 403]).not.toContain(reply.status);
      expect([401, 403]).not.toContain(batched.status);
      return;
    }
    const detail = 'missingVerb';
    expect(reply).toMatchObject({ status: 403, reason: 'FORBIDDEN', error: { data: { detail } } });
    expect(batched.status).toBe(403);
    expect(batched.text).toContain('"detail":"missingVerb"');
  });
});

test('a key with a prefix uses and sees only names with it, in every procedure', async () => {
  const wide = (await create({})).key;
  const { key } = await create({ prefix: 'mine:' });
  for (const procedure of ofServices) {
    if (procedure === 'lock.list' || procedure === 'lock.watch') continue;
    const { example } = SERVICE_API[procedure];
    const reply = await call(key, procedure, example);
    const detail = 'missingPrefix';
    expect(reply, procedure).toMatchObject({ status: 403, error: { data: { detail } } });
  }
  const lease = { owner: 'w', leaseMs: 60_000 };
  await api.post(wide, 'lock.acquire', { name: 'other', ...lease });
  const mine = await api.post(key, 'lock.acquire', { name: 'mine:1', ...lease });
  expect(mine.data).toMatchObject({ outcome: 'granted' });
  const many = { locks: [{ name: 'mine:2' }, { name: 'other2' }], ...lease };
  expect((await api.post(key, 'lock.acquireMany', many)).status).toBe(403);

  const listed = async (input: object) => {
    const { data } = await api.get(key, 'lock.list', input);
    return (data as { locks: { name: string }[] }).locks.map(({ name }) => name);
  };
  await expect.poll(() => listed({}), { timeout: 30_000 }).toEqual(['mine:1']);
  expect(await listed({ prefix: 'm' })).toEqual(['mine:1']);
  expect((await api.get(key, 'lock.list', { prefix: 'o' })).status).toBe(403);
  const watched = await api.post(key, 'lock.watch', { prefix: 'm', waitMs: 0 });
  expect((watched.data as { locks: { name: string }[] }).locks.map(({ name }) => name)).toEqual([
    'mine:1',
  ]);
  const watch = (input: object) => api.post(key, 'lock.watch', { ...input, waitMs: 0 });
  expect((await watch({ names: ['mine:1', 'other'] })).status).toBe(403);
  expect((await watch({ prefix: 'other' })).status).toBe(403);
});

test('a key is refused from the instant of its expiry, with that reason', async () => {
  const { id, key } = await create({ expiresInMs: 60_000 });
  const inspect = () => api.get(key, 'lock.inspect', { name: 'x' });
  clock.pass(59_999);
  expect((await inspect()).status).toBe(200);
  clock.pass(1);
  const detail = 'keyExpired';
  expect(await inspect()).toMatchObject({
    status: 401,
    reason: 'UNAUTHENTICATED',
    error: { data: { detail } },
  });
  expect((await listAllApiKeys(api.cli)).find((row) => row.id === id)?.state).toBe('expired');
  await expect(changeApiKey(api.cli, { id, expiresAt: null })).rejects.toMatchObject({
    reason: 'CONFLICT',
  });
  await expect(create({ expiresAt: clock.now() })).rejects.toMatchObject({ reason: 'INVALID' });
});

test.each([
  ['expires', 5_000, 'keyExpired'],
  ['is revoked', DAY_MS, 'keyRevoked'],
] as const)(
  'a key that %s ends its waits and its streams, which say why',
  async (_, leftMs, detail) => {
    const holder = (await create({})).key;
    const name = `held-${detail}`;
    await api.post(holder, 'lock.acquire', { name, owner: 'h', leaseMs: DAY_MS });
    const { id, key } = await create({ expiresAt: clock.now() + leftMs });
    const wait = { name, owner: 'w', leaseMs: 60_000, waitMs: 24_000 };
    const waiting = api.post(key, 'lock.acquire', wait);
    const stream = await fetch(`${api.url}/api/v1/lock.watch`, {
      method: 'POST',
      body: JSON.stringify({ names: [name] }),
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
    });
    const queue = async () => {
      const { data } = await api.get(holder, 'lock.inspect', { name });
      return (data as { waiters: unknown[] }).waiters.length;
    };
    await expect.poll(queue, { timeout: 30_000 }).toBe(1);
    if (detail === 'keyRevoked') await revokeApiKey(api.cli, { id });
    else clock.pass(leftMs);
    expect(await waiting).toMatchObject({ status: 401, error: { data: { detail } } });
    expect(await stream.text()).toMatch(new RegExp(`event: refused\\n.*"detail":"${detail}"`));
    await expect.poll(queue, { timeout: 30_000 }).toBe(0);
  },
);

test('of two simultaneous rotations of a key one succeeds', async () => {
  const { id, key: old } = await create({ prefix: 'mine:', verbs: ['acquire', 'read'] });
  const [name] = (await listAllApiKeys(api.cli))
    .filter((row) => row.id === id)
    .map((row) => row.name);
  const lease = { name: 'mine:r', owner: 'w', leaseMs: DAY_MS };
  const { data } = await api.post(old, 'lock.acquire', lease);
  const both = await Promise.allSettled([
    rotateApiKey(api.cli, { id, graceMs: 60_000 }),
    rotateApiKey(api.cli, { id, graceMs: 60_000 }),
  ]);
  const rotated = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const refused = both.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect([rotated.length, refused[0]?.reason]).toEqual([1, 'CONFLICT']);
  const made = rotated[0];
  if (!made) throw new Error('None was rotated.');
  const check = (key: string) =>
    api.get(key, 'lock.check', { name: 'mine:r', token: data?.token }).then(({ status }) => status);
  expect([await check(old), await check(made.key)]).toEqual([200, 200]);
  expect((await api.get(made.key, 'lock.inspect', { name: 'other' })).status).toBe(403);
  clock.pass(60_000);
  expect([await check(old), await check(made.key)]).toEqual([401, 200]);
  const rows = await listAllApiKeys(api.cli);
  expect(rows.find((row) => row.id === made.id)).toMatchObject({
    name,
    prefix: 'mine:',
    verbs: ['acquire', 'read'],
    state: 'live',
    replacedBy: null,
  });
  expect(rows.find((row) => row.id === id)).toMatchObject({
    state: 'expired',
    replacedBy: made.id,
  });
  const immediate = await rotateApiKey(api.cli, { id: made.id, graceMs: 0 });
  expect([await check(made.key), await check(immediate.key)]).toEqual([401, 200]);
  const ended = [
    [id, /^This API key has expired; (\w+) has taken its place\.$/, made.id],
    [made.id, /^This API key has been revoked; (\w+) has taken its place\.$/, immediate.id],
  ] as const;
  for (const [old, says, successor] of ended) {
    const error = await rotateApiKey(api.cli, { id: old, graceMs: 0 }).catch((each) => each);
    expect(says.exec(error.message)?.[1]).toBe(successor);
  }
});

test('the successor of a key lives as long as the expiry that its key was last given', async () => {
  const lifetimeOf = async (id: string) =>
    ((await rotateApiKey(api.cli, { id, graceMs: 0 })).expiresAt ?? Infinity) - clock.now();
  const plain = await create({});
  const expiring = await create({ expiresInMs: 10 * DAY_MS });
  clock.pass(5 * DAY_MS);
  await changeApiKey(api.cli, { id: expiring.id, expiresAt: expiring.expiresAt, prefix: 'a' });
  const unchanged = await rotateApiKey(api.cli, { id: expiring.id, graceMs: 0 });
  expect((unchanged.expiresAt ?? 0) - clock.now()).toBe(10 * DAY_MS);
  clock.pass(DAY_MS);
  for (const id of [plain.id, unchanged.id]) {
    await changeApiKey(api.cli, { id, expiresInMs: 2 * DAY_MS });
    clock.pass(DAY_MS);
    expect(await lifetimeOf(id)).toBe(2 * DAY_MS);
  }
  const endless = await create({ expiresAt: EXPIRES_AT_MAX });
  clock.pass(DAY_MS);
  const next = await rotateApiKey(api.cli, { id: endless.id, graceMs: 0 });
  expect(next.expiresAt).toBe(EXPIRES_AT_MAX);
});

test('a rotated key is never allowed more, or for longer than its grace', async () => {
  const { id } = await create({ prefix: 'mine:', verbs: ['acquire', 'read'] });
  await rotateApiKey(api.cli, { id, graceMs: 60_000 });
  const endsAt = clock.now() + 60_000;
  const more = [
    ...[null, endsAt + 1].map((expiresAt) => ({ expiresAt })),
    ...[null, 'min', 'other:'].map((prefix) => ({ prefix })),
    { verbs: null },
    { verbs: ['read' as const, 'count' as const] },
    { namespaces: ['default', 'other'] },
  ];
  for (const change of more) {
    await expect(changeApiKey(api.cli, { id, ...change })).rejects.toMatchObject({
      reason: 'CONFLICT',
      message: expect.stringMatching(/was rotated; \w+ has taken its place/),
    });
  }
  await changeApiKey(api.cli, { id, prefix: 'mine:less', verbs: ['read'] });
  await changeApiKey(api.cli, { id, expiresAt: endsAt - 1 });
  const row = (await listAllApiKeys(api.cli)).find((each) => each.id === id);
  expect(row).toMatchObject({ expiresAt: endsAt - 1, prefix: 'mine:less' });
});

test('the key of a witness is given no limits', async () => {
  const { id } = await create({ witness: true, namespaces: [] });
  for (const change of [
    { prefix: 'n:' },
    { verbs: ['read' as const] },
    { namespaces: ['default'] },
  ]) {
    await expect(changeApiKey(api.cli, { id, ...change })).rejects.toMatchObject({
      reason: 'CONFLICT',
      message: 'The key of a witness has no namespaces, prefix or verbs.',
    });
  }
});

test('a change of a key applies at once; a key without limits cannot get any', async () => {
  const { id, key } = await create({ prefix: 'mine:' });
  const inspect = (name: string) => api.get(key, 'lock.inspect', { name });
  expect((await inspect('other')).status).toBe(403);
  await changeApiKey(api.cli, { id, prefix: 'other' });
  expect([(await inspect('other')).status, (await inspect('mine:1')).status]).toEqual([200, 403]);
  await changeApiKey(api.cli, { id, prefix: null });
  expect((await inspect('mine:1')).status).toBe(200);
  await changeApiKey(api.cli, { id, verbs: ['count'] });
  expect((await inspect('mine:1')).status).toBe(403);

  const plain = await create({});
  await expect(changeApiKey(api.cli, { id: plain.id, prefix: 'x' })).rejects.toMatchObject({
    reason: 'CONFLICT',
  });
});

test('a key with limits has a form that a version without limits does not recognise', async () => {
  const { key } = await create({ verbs: ['read'] });
  expect(key).toMatch(/^lyl_/);
  expect((await create({ expiresInMs: DAY_MS })).key).toMatch(/^lyl_/);
  expect((await create({})).key).toMatch(/^lyk_/);
});

test('the metrics count unrotated keys that expire soon, and say when the next does', async () => {
  const value = async (name: string) => {
    const line = (await api.runtime.metrics.text())
      .split('\n')
      .find((each) => each.startsWith(`${name} `));
    return line === undefined ? null : Number(line.split(' ')[1]);
  };
  const soon = () => value('lockyard_api_keys_expiring');
  const before = (await soon()) ?? 0;
  const { id } = await create({ expiresInMs: 60_000 });
  await create({ expiresInMs: 15 * DAY_MS });
  expect(await soon()).toBe(before + 1);
  const nextAt = () => value('lockyard_api_key_next_expiry_timestamp_seconds');
  expect(await nextAt()).toBe((clock.now() + 60_000) / 1_000);
  await rotateApiKey(api.cli, { id, graceMs: 30_000 });
  // The new one lives as long as the old one was made for.
  expect(await nextAt()).toBe((clock.now() + 60_000) / 1_000);
  expect(await soon()).toBe(before + 1);
});
