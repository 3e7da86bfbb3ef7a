import { afterAll, beforeAll, expect, test } from 'vitest';
import { revokeApiKey } from '@/server/operations/api-keys/revoke-api-key';
import { createUser } from '@/server/operations/users/create-user';
import { setDisabled } from '@/server/operations/users/set-disabled';
import { ApiHarness, type Reply } from '@/test/api-harness';
import { CONSOLE_KINDS } from './handlers/console-handler';

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

test('every call of the console is open from its least role on, and refused below it', async () => {
  const cookies = {
    viewer: (await person('vera', 'viewer')).cookie,
    operator: (await person('otto', 'operator')).cookie,
    admin: (await person('anna', 'admin')).cookie,
  };
  const held = await api.post(key, 'lock.acquire', { ...ask, name: 'held', leaseMs: 60_000 });
  const { token, rev } = held.data as { token: number; rev: number };
  const reason = 'a good reason';
  const lock = { namespace: 'default', name: 'held' };
  const seen = { ...lock, token, rev, reason };
  const counter = { namespace: 'default', name: 'none' };
  const seenCounter = { ...counter, rev: 1, reason };
  const bounds = { floor: 0, ceiling: null };
  const unknown = { id: 'unknown' };
  const at = Date.now();
  const calls: [string, unknown, keyof typeof cookies][] = [
    ['locks.list', {}, 'viewer'],
    ['locks.detail', lock, 'viewer'],
    ['locks.events', lock, 'viewer'],
    ['locks.previewDeletion', { namespace: 'default', prefix: 'none' }, 'operator'],
    ['locks.delete', { namespace: 'default', prefix: 'none', atMost: 1, reason }, 'operator'],
    ['locks.extend', { ...seen, extendMs: 1_000 }, 'operator'],
    ['locks.askRelease', seen, 'operator'],
    ['locks.stopRenewals', seen, 'operator'],
    ['locks.freeze', { ...lock, rev, reason }, 'operator'],
    ['locks.unfreeze', { ...lock, rev, reason }, 'operator'],
    ['locks.setCapacity', { ...lock, seenCapacity: 1, capacity: 2, rev, reason }, 'operator'],
    ['locks.reassign', { ...seen, ticket: 1 }, 'operator'],
    ['locks.forceRelease', seen, 'operator'],
    ['locks.presence', undefined, 'viewer'],
    ['locks.takeOn', { ...lock, token }, 'operator'],
    ['locks.stepBack', lock, 'operator'],
    ['counters.list', {}, 'viewer'],
    ['counters.detail', counter, 'viewer'],
    ['counters.moves', counter, 'viewer'],
    ['counters.courses', {}, 'viewer'],
    ['counters.course', counter, 'viewer'],
    ['counters.create', { ...counter, name: 'made', initial: 1, reason }, 'operator'],
    ['counters.adjust', { ...seenCounter, seenValue: null, value: 1 }, 'operator'],
    ['counters.adjustBy', { ...seenCounter, delta: 1 }, 'operator'],
    ['counters.setBounds', { ...seenCounter, seenBounds: bounds, bounds }, 'operator'],
    ['counters.reconcile', { ...seenCounter, seenValue: 1, seenFastValue: null }, 'operator'],
    ['views.list', undefined, 'viewer'],
    ['views.save', { name: 'mine', query: '' }, 'viewer'],
    [
      'views.change',
      { ...unknown, name: 'a', query: '', seen: { name: 'b', query: '' } },
      'viewer',
    ],
    ['views.delete', unknown, 'viewer'],
    ['insights.lock', lock, 'viewer'],
    ['insights.timeline', { ...lock, spanMs: 60_000 }, 'viewer'],
    ['insights.overview', {}, 'viewer'],
    ['insights.incidents', {}, 'viewer'],
    ['insights.incident', { id: 1 }, 'viewer'],
    ['insights.fleet', undefined, 'viewer'],
    ['past.range', undefined, 'viewer'],
    ['past.change', { at, direction: 'previous' }, 'viewer'],
    ['past.minute', { at }, 'viewer'],
    ['waits.graph', {}, 'viewer'],
    ['waits.deadlocks', undefined, 'viewer'],
    ['waits.deadlocked', undefined, 'viewer'],
    ['holders.list', {}, 'viewer'],
    ['holders.process', { process: 'unknown' }, 'viewer'],
    ['alerts.list', undefined, 'viewer'],
    ['alerts.summary', undefined, 'viewer'],
    ['alerts.rules', undefined, 'viewer'],
    ['alerts.silence', { name: 'x*', forMs: 60_000, reason }, 'operator'],
    ['alerts.endSilence', unknown, 'operator'],
    ['alerts.setRules', { namespace: 'default', rules: null, reason }, 'admin'],
    ['audit.list', {}, 'viewer'],
    ['keys.list', {}, 'admin'],
    ['keys.create', { name: 'k', namespaces: ['default'] }, 'admin'],
    ['keys.change', { ...unknown, prefix: null }, 'admin'],
    ['keys.rotate', unknown, 'admin'],
    ['keys.revoke', unknown, 'admin'],
    ['people.list', undefined, 'admin'],
    ['people.create', { name: 'new', role: 'viewer', password: PASSWORD }, 'admin'],
    ['people.setRole', { ...unknown, role: 'viewer' }, 'admin'],
    ['people.setDisabled', { ...unknown, disabled: true }, 'admin'],
    ['people.resetPassword', { ...unknown, password: PASSWORD }, 'admin'],
    ['people.endSessions', unknown, 'admin'],
    ['namespaces.list', undefined, 'viewer'],
    ['namespaces.filling', undefined, 'viewer'],
    ['namespaces.gates', undefined, 'viewer'],
    ['namespaces.create', { name: 'made' }, 'admin'],
    ['namespaces.setPolicy', { name: 'default', policy: null, reason }, 'admin'],
    ['backends.list', undefined, 'viewer'],
    ['backends.courses', undefined, 'viewer'],
    ['backends.guarantees', undefined, 'viewer'],
    ['backends.shards', { backend: 'spread' }, 'viewer'],
    ['backends.home', { backend: 'spread', namespace: 'default', name: 'a' }, 'viewer'],
    ['backends.readGuarantees', { backend: 'default' }, 'operator'],
    ['lab.preflight', {}, 'viewer'],
    ['lab.source', unknown, 'viewer'],
    ['lab.runs', {}, 'viewer'],
    ['lab.run', unknown, 'viewer'],
    ['lab.start', { strategies: ['unknown'] }, 'operator'],
    ['lab.stop', unknown, 'operator'],
  ];
  // Everyone has sessions of their own, and streams are views of what the queries show.
  const others = [...CONSOLE_KINDS].filter(
    ([name, kind]) => kind !== 'subscription' && !name.startsWith('session.'),
  );
  expect(new Set(calls.map(([name]) => name))).toEqual(new Set(others.map(([name]) => name)));
  const roles = ['viewer', 'operator', 'admin'] as const;
  for (const [procedure, input, least] of calls) {
    const kind = CONSOLE_KINDS.get(procedure) === 'query' ? 'query' : 'mutation';
    const call = (cookie: string | null) => api.console(cookie, procedure, input, kind);
    const below = roles.slice(0, roles.indexOf(least));
    const [anonymous, ...lesser] = await Promise.all([
      call(null),
      ...below.map((role) => call(cookies[role])),
    ]);
    expectRefused(anonymous, 401, 'UNAUTHENTICATED');
    for (const reply of lesser) expectRefused(reply, 403, 'FORBIDDEN');
    for (const role of roles.slice(below.length)) {
      const { status } = await call(cookies[role]);
      // No race of an unknown strategy is started.
      const answered = procedure === 'lab.start' ? [400] : [200, 404, 409];
      expect(answered, `${procedure} ${role} ${status}`).toContain(status);
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
