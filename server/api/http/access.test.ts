import { afterAll, beforeAll, expect, test } from 'vitest';
import { revokeApiKey } from '@/server/operations/api-keys/revoke-api-key';
import { createUser } from '@/server/operations/users/create-user';
import { setDisabled } from '@/server/operations/users/set-disabled';
import { ApiHarness, type Reply } from '@/test/api-harness';

const PASSWORD = 'plough the seventh field';

let api: ApiHarness;
let key: string;

beforeAll(async () => {
  // Shards that do not exist: every role that may read must see them.
  const shards = 'mysql://root@127.0.0.1:1/a,mysql://root@127.0.0.1:1/b';
  api = await ApiHarness.start({ LOCKYARD_BACKEND_SPREAD: shards });
  await api.namespace('billing');
  key = await api.key('orders');
});
afterAll(() => api.close());

const ask = { name: 'a', owner: 'o', leaseMs: 1_000 };

function expectRefused(reply: Reply, status: number, reason: string): void {
  expect([reply.status, reply.reason], reply.text).toEqual([status, reason]);
}

async function person(name: string, role: 'viewer' | 'operator' | 'admin') {
  const { id } = await createUser(api.cli, { name, role, password: PASSWORD });
  return { id, cookie: await api.signIn(name, PASSWORD) };
}

test('a request without a live API key is UNAUTHENTICATED', async () => {
  const headers: (Record<string, string> | undefined)[] = [
    undefined,
    { authorization: key },
    { authorization: `Basic ${key}` },
    { authorization: 'Bearer ' },
    { authorization: `Bearer ${key}x` },
    { authorization: `Bearer ${key.slice(0, -1)}` },
    { authorization: 'Bearer nonsense' },
    { 'x-api-key': key },
  ];
  for (const tried of headers) {
    const reply = await api.send('/api/v1/lock.acquire', {
      method: 'POST',
      body: JSON.stringify(ask),
      headers: { 'content-type': 'application/json', ...tried },
    });
    expectRefused(reply, 401, 'UNAUTHENTICATED');
  }
});

test('a key is valid only for its own namespaces, whether or not others exist', async () => {
  for (const namespace of ['billing', 'nowhere']) {
    const input = { ...ask, namespace };
    expectRefused(await api.post(key, 'lock.acquire', input), 403, 'FORBIDDEN');
    const look = { namespace, name: 'a' };
    expectRefused(await api.get(key, 'lock.inspect', look), 403, 'FORBIDDEN');
  }
  const both = await api.key('both', ['default', 'billing']);
  const granted = await api.post(both, 'lock.acquire', { ...ask, namespace: 'billing' });
  expect(granted.data).toMatchObject({ outcome: 'granted' });
});

test('the same name in two namespaces is two locks', async () => {
  const both = await api.key('two-spaces', ['default', 'billing']);
  for (const namespace of ['default', 'billing']) {
    const reply = await api.post(both, 'lock.acquire', { ...ask, namespace, name: 'twice' });
    expect(reply.data).toMatchObject({ outcome: 'granted' });
  }
});

test('a hold belongs to its service: another service is FORBIDDEN to end it', async () => {
  const mine = await api.post(key, 'lock.acquire', { ...ask, name: 'mine', leaseMs: 60_000 });
  const stranger = await api.key('stranger');
  const theirs = { name: 'mine', owner: 'o', token: mine.data?.token };
  expectRefused(await api.post(stranger, 'lock.release', theirs), 403, 'FORBIDDEN');
  const renewal = { ...theirs, leaseMs: 1_000 };
  expectRefused(await api.post(stranger, 'lock.renew', renewal), 403, 'FORBIDDEN');
  expect((await api.get(key, 'lock.check', { name: 'mine', token: theirs.token })).data).toEqual({
    valid: true,
  });
});

test('a revoked key is refused at once', async () => {
  const short = await api.key('short-lived');
  expect((await api.post(short, 'lock.acquire', { ...ask, name: 'r' })).status).toBe(200);
  const id = await api.keyId('short-lived');
  await revokeApiKey(api.cli, { id });
  expectRefused(
    await api.post(short, 'lock.acquire', { ...ask, name: 'r' }),
    401,
    'UNAUTHENTICATED',
  );
});

test('a waiting call whose key is revoked is refused, and leaves its queue at once', async () => {
  const name = 'queue of a revoked key';
  const waiters = async () => {
    const { data } = await api.get(key, 'lock.inspect', { name });
    return (data as { waiters: unknown[] }).waiters;
  };
  const held = { ...ask, name, leaseMs: 60_000 };
  expect((await api.post(key, 'lock.acquire', held)).data?.outcome).toBe('granted');
  const revoked = await api.key('revoked-in-a-queue');
  const wait = { ...ask, name, owner: 'w2', waitMs: 20_000, requestId: 'w2' };
  const waiting = api.post(revoked, 'lock.acquire', wait);
  await expect.poll(waiters).toHaveLength(1);
  await revokeApiKey(api.cli, { id: await api.keyId('revoked-in-a-queue') });
  expectRefused(await waiting, 401, 'UNAUTHENTICATED');
  expect(await waiters()).toEqual([]);
});

test('a session gives no access to the service API', async () => {
  const { cookie } = await person('ada', 'admin');
  const reply = await api.send('/api/v1/lock.acquire', {
    method: 'POST',
    body: JSON.stringify(ask),
    headers: { 'content-type': 'application/json', cookie },
  });
  expectRefused(reply, 401, 'UNAUTHENTICATED');
});

test('an API key gives no access to the console', async () => {
  const headers = { authorization: `Bearer ${key}` };
  for (const procedure of ['locks.list?input={}', 'keys.list', 'people.list', 'backends.list']) {
    expectRefused(await api.send(`/api/trpc/${procedure}`, { headers }), 401, 'UNAUTHENTICATED');
  }
});

test('a call of the console is open from its least role on, and refused below it', async () => {
  const cookies = {
    viewer: (await person('vera', 'viewer')).cookie,
    operator: (await person('otto', 'operator')).cookie,
    admin: (await person('anna', 'admin')).cookie,
  };
  const held = await api.post(key, 'lock.acquire', { ...ask, name: 'held', leaseMs: 60_000 });
  const { token, rev } = held.data as { token: number; rev: number };
  const seen = { namespace: 'default', name: 'held', token, rev, reason: 'a good reason' };
  const frozen = { namespace: 'default', name: 'held', rev, reason: 'a good reason' };
  const policy = { name: 'default', policy: null, reason: 'a good reason' };
  const calls: [string, unknown, keyof typeof cookies, 'query' | 'mutation'][] = [
    ['locks.list', {}, 'viewer', 'query'],
    ['locks.detail', { namespace: 'default', name: 'held' }, 'viewer', 'query'],
    ['locks.events', { namespace: 'default', name: 'held' }, 'viewer', 'query'],
    ['audit.list', {}, 'viewer', 'query'],
    ['namespaces.list', undefined, 'viewer', 'query'],
    ['backends.list', undefined, 'viewer', 'query'],
    ['backends.courses', undefined, 'viewer', 'query'],
    ['backends.guarantees', undefined, 'viewer', 'query'],
    ['backends.shards', { backend: 'spread' }, 'viewer', 'query'],
    ['backends.home', { backend: 'spread', namespace: 'default', name: 'a' }, 'viewer', 'query'],
    ['backends.readGuarantees', { backend: 'default' }, 'operator', 'mutation'],
    ['locks.extend', { ...seen, extendMs: 1_000 }, 'operator', 'mutation'],
    ['locks.askRelease', seen, 'operator', 'mutation'],
    ['locks.stopRenewals', seen, 'operator', 'mutation'],
    ['locks.freeze', frozen, 'operator', 'mutation'],
    ['locks.unfreeze', frozen, 'operator', 'mutation'],
    ['locks.reassign', { ...seen, ticket: 1 }, 'operator', 'mutation'],
    ['locks.forceRelease', seen, 'operator', 'mutation'],
    ['locks.presence', undefined, 'viewer', 'query'],
    ['locks.takeOn', { namespace: 'default', name: 'held', token }, 'operator', 'mutation'],
    ['locks.stepBack', { namespace: 'default', name: 'held' }, 'operator', 'mutation'],
    ['alerts.list', undefined, 'viewer', 'query'],
    ['alerts.rules', undefined, 'viewer', 'query'],
    ['alerts.silence', { name: 'x*', forMs: 60_000, reason: 'known' }, 'operator', 'mutation'],
    [
      'alerts.setRules',
      { namespace: 'default', rules: null, reason: 'a good reason' },
      'admin',
      'mutation',
    ],
    ['keys.list', {}, 'admin', 'query'],
    ['people.list', undefined, 'admin', 'query'],
    ['keys.create', { name: 'k', namespaces: ['default'] }, 'admin', 'mutation'],
    ['namespaces.create', { name: 'made' }, 'admin', 'mutation'],
    ['namespaces.setPolicy', policy, 'admin', 'mutation'],
    ['people.create', { name: 'new', role: 'viewer', password: PASSWORD }, 'admin', 'mutation'],
  ];
  const roles = ['viewer', 'operator', 'admin'] as const;
  for (const [procedure, input, least, kind] of calls) {
    const anonymous = await api.console(null, procedure, input, kind);
    expectRefused(anonymous, 401, 'UNAUTHENTICATED');
    for (const role of roles) {
      const reply = await api.console(cookies[role], procedure, input, kind);
      if (roles.indexOf(role) < roles.indexOf(least)) expectRefused(reply, 403, 'FORBIDDEN');
      else expect([procedure, role, reply.status].join(' ')).toMatch(/ (200|409)$/);
    }
  }
});

test('an action is applied once for each request id and user', async () => {
  const { cookie } = await person('olga', 'operator');
  const name = 'extended by request';
  const held = await api.post(key, 'lock.acquire', { ...ask, name, leaseMs: 60_000 });
  const { token, rev, expiresAt } = held.data as Record<'token' | 'rev' | 'expiresAt', number>;
  const seen = { namespace: 'default', name, token, reason: 'a good reason' };
  const extend = (more: object, by = cookie) => {
    const input = { ...seen, rev, extendMs: 10_000, requestId: 'r1', ...more };
    return api.console(by, 'locks.extend', input, 'mutation');
  };
  const first = await extend({});
  expect(first.data).toMatchObject({ outcome: 'extended', expiresAt: expiresAt + 10_000 });
  const again = await extend({ rev: rev + 1 });
  expect(again.data).toMatchObject({ rev: first.data?.rev, expiresAt: expiresAt + 10_000 });
  expect(again.data?.expiresInMs).toBeLessThanOrEqual(first.data?.expiresInMs as number);
  expectRefused(await extend({ extendMs: 20_000 }), 400, 'INVALID');
  expectRefused(await extend({ requestId: '' }), 400, 'INVALID');
  const other = await extend({ requestId: 'r2' });
  expect(other.data).toMatchObject({ outcome: 'extended', expiresAt: expiresAt + 20_000 });
  const { cookie: theirs } = await person('oren', 'operator');
  const byAnother = await extend({}, theirs);
  expect(byAnother.data).toMatchObject({ outcome: 'extended', expiresAt: expiresAt + 30_000 });

  const release = { ...seen, rev, requestId: 'r3' };
  const forced = await api.console(cookie, 'locks.forceRelease', release, 'mutation');
  expect(forced.data).toMatchObject({ outcome: 'forced', token });
  const repeated = await api.console(cookie, 'locks.forceRelease', release, 'mutation');
  expect(repeated.data).toEqual(forced.data);
});

test('a signed-out and a disabled user are refused at once', async () => {
  const sam = await person('sam', 'viewer');
  expect((await api.console(sam.cookie, 'locks.list', {})).status).toBe(200);
  await api.console(sam.cookie, 'session.signOut', undefined, 'mutation');
  expectRefused(await api.console(sam.cookie, 'locks.list', {}), 401, 'UNAUTHENTICATED');

  const again = await api.signIn('sam', PASSWORD);
  await setDisabled(api.cli, { id: sam.id, disabled: true });
  expectRefused(await api.console(again, 'locks.list', {}), 401, 'UNAUTHENTICATED');
});

test('a user who changes the password gets a new cookie that continues the session', async () => {
  const { cookie } = await person('pat', 'viewer');
  const input = { current: PASSWORD, next: `${PASSWORD} again` };
  const reply = await api.console(cookie, 'session.changePassword', input, 'mutation');
  const [session = '', ...others] = reply.headers.getSetCookie();
  expect([reply.data, others]).toEqual([{ changed: true }, []]);
  const [fresh = ''] = session.split(';');
  expect(fresh).toMatch(/^lockyard_session=[\w-]{43}$/);
  expect(fresh).not.toBe(cookie);
  expect(reply.text).not.toContain(fresh.slice(17));
  expect((await api.console(fresh, 'locks.list', {})).status).toBe(200);
});

test('the session cookie is for this host only and not readable by scripts', async () => {
  await createUser(api.cli, { name: 'carl', role: 'viewer', password: PASSWORD });
  const signIn = (headers: Record<string, string> = {}) =>
    api.console(null, 'session.signIn', { name: 'carl', password: PASSWORD }, 'mutation', headers);
  const plain = await signIn();
  const [session = '', browser = ''] = plain.headers.getSetCookie();
  expect(session).toMatch(
    /^lockyard_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  );
  expect(plain.text).not.toContain(session.slice(17, 60));
  expect(browser).toMatch(
    /^lockyard_browser_\w{12}=[\w.-]{70,80}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=15552000$/,
  );
  const secure = await signIn({ 'x-forwarded-proto': 'https' });
  for (const cookie of secure.headers.getSetCookie()) {
    expect(cookie).toMatch(/^__Host-lockyard_(session|browser_\w{12})=.*; Secure$/);
  }
  expect(secure.headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/);
});

test('a browser that signed in before still can while others guess from its address', async () => {
  await createUser(api.cli, { name: 'dora', role: 'viewer', password: PASSWORD });
  const tryIn = (password: string, cookie: string | null = null) =>
    api.console(cookie, 'session.signIn', { name: 'dora', password }, 'mutation');
  const cookieOf = (reply: Reply) => reply.headers.getSetCookie()[1]?.split(';')[0] ?? '';
  const mark = cookieOf(await tryIn(PASSWORD));
  await Promise.all(Array.from({ length: 6 }, () => tryIn('a wrong password')));
  expectRefused(await tryIn(PASSWORD), 401, 'UNAUTHENTICATED');
  const { text } = await api.send('/metrics');
  expect(text).toMatch(/^lockyard_refusals_total\{limit="signIns"\} [2-9]$/m);
  const forged = mark.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  expectRefused(await tryIn(PASSWORD, forged), 401, 'UNAUTHENTICATED');
  const reply = await tryIn(PASSWORD, mark);
  expect(reply.status).toBe(200);
  expect(cookieOf(reply)).not.toBe(mark);
});

test('a role that changes within a batch applies to the calls after it', async () => {
  const { id, cookie } = await person('erna', 'admin');
  await person('ella', 'admin');
  const inputs = [
    { name: 'before-the-change', namespaces: ['default'] },
    { id, role: 'viewer' },
    { name: 'after-the-change', namespaces: ['default'] },
  ];
  const reply = await api.send('/api/trpc/keys.create,people.setRole,keys.create?batch=1', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: api.url, cookie },
    body: JSON.stringify({ ...inputs }),
  });
  const answers = JSON.parse(reply.text) as { error?: { data: { reason: string } } }[];
  expect(answers.map(({ error }) => error?.data.reason)).toEqual([
    undefined,
    undefined,
    'FORBIDDEN',
  ]);
  await expect(api.keyId('after-the-change')).rejects.toThrow('no key');
});

test('one request never checks more than one password', async () => {
  const signIn = { name: 'vera', password: 'a guess' };
  const reply = await api.send('/api/trpc/session.signIn,session.signIn?batch=1', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ 0: signIn, 1: signIn }),
  });
  expect([reply.status, reply.reason]).toEqual([400, 'INVALID']);
});
