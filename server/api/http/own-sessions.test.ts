import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashText } from '@/server/auth/hash-text';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness } from '@/test/api-harness';

const PASSWORD = 'plough the seventh field';

let api: ApiHarness;
beforeAll(async () => {
  api = await ApiHarness.start();
});
afterAll(() => api.close());

interface Listed {
  id: string;
  isCurrent: boolean;
  browser: string | null;
  address: string | null;
}

const newPerson = (name: string) =>
  createUser(api.cli, { name, role: 'viewer', password: PASSWORD });

async function enter(name: string, userAgent: string): Promise<string> {
  const headers = { 'user-agent': userAgent };
  const input = { name, password: PASSWORD };
  const reply = await api.console(null, 'session.signIn', input, 'mutation', headers);
  const [cookie = ''] = reply.headers.getSetCookie()[0]?.split(';') ?? [];
  expect(cookie, reply.text).toMatch(/^lockyard_session=/);
  return cookie;
}

async function list(cookie: string): Promise<Listed[]> {
  const { data, text } = await api.console(cookie, 'session.list', undefined);
  expect(data, text).toBeInstanceOf(Array);
  return data as unknown as Listed[];
}

test('a viewer sees own sessions and ends another one, whose next request is refused', async () => {
  await newPerson('vera');
  const here = await enter('vera', 'curl/8.14.1');
  const there = await enter('vera', 'Mozilla/5.0 (Windows NT 10.0; rv:145.0) Firefox/145.0');
  const rows = await list(here);
  expect(rows).toMatchObject([
    { isCurrent: true, browser: 'curl/8.14.1', address: '127.0.0.1' },
    { isCurrent: false, browser: 'Firefox on Windows', address: '127.0.0.1' },
  ]);
  const other = { id: rows[1]?.id };
  const ended = await api.console(here, 'session.end', other, 'mutation');
  expect(ended.data).toEqual({ ended: true, signedOut: false });
  expect(ended.headers.getSetCookie()).toEqual([]);
  expect((await api.console(there, 'locks.list', {})).reason).toBe('UNAUTHENTICATED');
  expect((await api.console(there, 'session.endOthers', undefined, 'mutation')).reason).toBe(
    'UNAUTHENTICATED',
  );
  expect(await list(here)).toHaveLength(1);
});

test('a user who ends this session is signed out, and the browser drops the cookie', async () => {
  await newPerson('olga');
  const cookie = await enter('olga', 'curl/8.14.1');
  const [own] = await list(cookie);
  const reply = await api.console(cookie, 'session.end', { id: own?.id }, 'mutation');
  expect(reply.data).toEqual({ ended: true, signedOut: true });
  expect(reply.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^lockyard_session=; .*Max-Age=0$/),
  ]);
  expect((await api.console(cookie, 'locks.list', {})).reason).toBe('UNAUTHENTICATED');
});

test('no answer about sessions contains the value of a cookie or its hash', async () => {
  await newPerson('pia');
  const cookies = [await enter('pia', 'one'), await enter('pia', 'two')];
  const [cookie = ''] = cookies;
  const seen = await api.console(cookie, 'session.list', undefined);
  const [, other] = seen.data as unknown as Listed[];
  const ended = await api.console(cookie, 'session.end', { id: other?.id }, 'mutation');
  for (const value of cookies.map((one) => one.slice('lockyard_session='.length))) {
    for (const text of [seen.text, ended.text]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(hashText(value).slice(0, 12));
    }
  }
});

test('sessions are ended only by requests of the console itself', async () => {
  await newPerson('rosa');
  const cookie = await enter('rosa', 'curl/8.14.1');
  await enter('rosa', 'curl/8.14.1');
  for (const procedure of ['session.end', 'session.endOthers', 'people.endSessions']) {
    for (const origin of ['', 'https://evil.example']) {
      const headers = { cookie, 'content-type': 'application/json', ...(origin && { origin }) };
      const body = JSON.stringify({ id: 'x' });
      const reply = await api.send(`/api/trpc/${procedure}`, { method: 'POST', headers, body });
      expect([procedure, reply.status]).toEqual([procedure, 403]);
    }
  }
  expect(await list(cookie)).toHaveLength(2);
});

test('a hostile User-Agent does no harm: it is cut, and without anything unprintable', async () => {
  await newPerson('sara');
  const hostile = ['<script>alert(1)</script>', 'x'.repeat(8_000), 'a\tb\u009b31m\u00ad\u00ff'];
  const cookies = [];
  for (const header of hostile) cookies.push(await enter('sara', header));
  const names = (await list(cookies[0] ?? '')).map(({ browser }) => browser ?? '');
  expect(names.sort()).toEqual(
    ['<script>alert(1)</script>', 'a b 31m', `${'x'.repeat(57)}...`].sort(),
  );
});
