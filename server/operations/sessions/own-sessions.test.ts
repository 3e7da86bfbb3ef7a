import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import type { UserActor } from '../../auth/actor';
import { hashText } from '../../auth/hash-text';
import {
  SESSION_IDLE_MAX_MS,
  SESSION_REPLACED_MS,
  SESSION_SEEN_EVERY_MS,
} from '../../auth/sessions/session-limits';
import { SessionManager } from '../../auth/sessions/session-manager';
import { listAudit } from '../audit/list-audit';
import {
  COMMAND_LINE,
  contextOf,
  openTestRuntime,
  type TestRuntime,
} from '../testing/test-runtime';
import { changePassword } from '../users/change-password';
import { createUser } from '../users/create-user';
import { endUserSessions } from '../users/end-user-sessions';
import { listUsers } from '../users/list-users';
import { endOtherSessions, endSession } from './end-sessions';
import { listSessions } from './list-sessions';
import { signIn } from './sign-in';

const PASSWORD = 'seven green kites over Oslo';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

describe.each(TEST_DIALECTS)('the own sessions of a user on %s', (dialect) => {
  let runtime: TestRuntime;
  let people = 0;
  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
  });
  afterAll(() => runtime.close());

  const root = () => contextOf(runtime, COMMAND_LINE);
  async function newPerson(): Promise<{ id: string; name: string }> {
    const name = `person ${++people}`;
    return { ...(await createUser(root(), { name, role: 'viewer', password: PASSWORD })), name };
  }
  async function enter(name: string, from: { address?: string; userAgent?: string } = {}) {
    const ctx = { ...contextOf(runtime, null), ...from };
    return (await signIn(ctx, { name, password: PASSWORD })).session.value;
  }
  const resolve = (value: string) => runtime.sessions.resolve(value);
  const contextWith = async (value: string) => contextOf(runtime, await resolve(value));
  const list = async (value: string) => listSessions(await contextWith(value));
  const newestAudit = async () => (await listAudit(root(), { limit: 1 })).rows[0];
  const openOf = async (id: string) =>
    (await listUsers(root())).find((user) => user.id === id)?.sessions;
  /** The id under which the session of another cookie is listed. */
  async function idOf(value: string): Promise<string> {
    const own = (await list(value)).find(({ isCurrent }) => isCurrent);
    if (!own) throw new Error('This session is not listed.');
    return own.id;
  }

  test('are listed with browser, address, sign-in and last use, this session first', async () => {
    const { name } = await newPerson();
    const startedAt = runtime.clock.now();
    const old = await enter(name, { address: '2001:db8::7', userAgent: FIREFOX });
    runtime.clock.pass(SESSION_SEEN_EVERY_MS);
    await enter(name, { address: '198.51.100.9' });
    expect(await list(old)).toMatchObject([
      { isCurrent: true, browser: 'Firefox on Linux', address: '2001:db8::7', startedAt },
      {
        isCurrent: false,
        browser: null,
        address: '198.51.100.9',
        startedAt: runtime.clock.now(),
        lastUsedAt: runtime.clock.now(),
      },
    ]);
    const used = async () => (await list(old))[0]?.lastUsedAt;
    await expect.poll(used, { timeout: 20_000 }).toBe(startedAt + SESSION_SEEN_EVERY_MS);
  });

  test('are listed without the value of a cookie and without its stored hash', async () => {
    const { name } = await newPerson();
    const values = [await enter(name), await enter(name)];
    const text = JSON.stringify(await list(values[0] ?? ''));
    for (const value of values) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(hashText(value).slice(0, 12));
    }
    for (const { id } of JSON.parse(text)) expect(await resolve(id)).toBeNull();
  });

  test('that began before an upgrade are listed, without browser and address', async () => {
    const { name } = await newPerson();
    const value = await enter(name, { userAgent: FIREFOX });
    const { db, tables } = runtime.database;
    const set = db.update(tables.sessions).set({ browser: null, address: null });
    await set.where(eq(tables.sessions.id, hashText(value)));
    expect(await list(value)).toMatchObject([{ browser: null, address: null }]);
  });

  test('can be used at will for one write a minute', async () => {
    const { name } = await newPerson();
    const value = await enter(name);
    const { database } = runtime;
    let writes = 0;
    const db = new Proxy(database.db, {
      get(target, property) {
        if (property === 'update') writes++;
        return Reflect.get(target, property) as unknown;
      },
    });
    const counting = Object.create(database, { db: { value: db } });
    const sessions = new SessionManager({ ...runtime, database: counting });
    const stepMs = SESSION_SEEN_EVERY_MS / 100;
    for (let use = 0; use < 100; use++) {
      expect(await sessions.resolve(value)).not.toBeNull();
      runtime.clock.pass(stepMs);
    }
    expect(writes).toBe(0);
    expect(await sessions.resolve(value)).not.toBeNull();
    expect(writes).toBe(1);
    const used = async () => (await list(value))[0]?.lastUsedAt;
    await expect.poll(used, { timeout: 20_000 }).toBe(runtime.clock.now());
    for (let second = 1; second < 60; second++) {
      runtime.clock.pass(1_000);
      expect(await sessions.resolve(value)).not.toBeNull();
    }
    expect(writes).toBe(1);
  });

  test('are neither seen nor ended by another user, not even by an admin', async () => {
    const [ana, ben] = [await newPerson(), await newPerson()];
    const boss = { name: `boss ${dialect}`, role: 'admin' as const, password: PASSWORD };
    await createUser(root(), boss);
    const victim = await enter(ana.name);
    const id = await idOf(victim);
    for (const name of [ben.name, boss.name]) {
      const value = await enter(name);
      expect((await list(value)).map((row) => row.id)).not.toContain(id);
      const answer = await endSession(await contextWith(value), { id });
      expect(answer).toEqual({ ended: false, signedOut: false });
      expect(await newestAudit()).toMatchObject({
        act: 'session.end',
        actor: name,
        subject: name,
        outcome: 'refused',
      });
      await endOtherSessions(await contextWith(value));
      expect(await resolve(victim)).toMatchObject({ userId: ana.id });
    }
  });

  test('end one by one: at once here, within 1 s elsewhere, and the others stay', async () => {
    const { name } = await newPerson();
    const [here, lost, third] = [
      await enter(name),
      await enter(name, { address: '198.51.100.9', userAgent: FIREFOX }),
      await enter(name),
    ];
    const elsewhere = runtime.anotherProcess();
    expect(await elsewhere.sessions.resolve(lost)).not.toBeNull();
    const watch = runtime.sessions.watch((await resolve(lost)) as UserActor);
    const id = await idOf(lost);
    const ctx = await contextWith(here);
    expect(await endSession(ctx, { id })).toEqual({ ended: true, signedOut: false });
    expect(await resolve(lost)).toBeNull();
    await expect.poll(() => watch.signal.aborted, { timeout: 20_000 }).toBe(true);
    watch.close();
    runtime.clock.pass(1_000);
    expect(await elsewhere.sessions.resolve(lost)).toBeNull();
    expect(await newestAudit()).toMatchObject({
      act: 'session.end',
      subject: name,
      seen: { browser: 'Firefox on Linux', address: '198.51.100.9' },
      outcome: 'done',
    });
    expect((await list(here)).map((row) => row.id)).toEqual([await idOf(here), await idOf(third)]);
    expect(await endSession(ctx, { id })).toEqual({ ended: false, signedOut: false });
    await elsewhere.apiKeys.close();
  });

  test('are signed out by ending the one of the call', async () => {
    const { name } = await newPerson();
    const [here, there] = [await enter(name), await enter(name)];
    const answer = await endSession(await contextWith(here), { id: await idOf(here) });
    expect(answer).toEqual({ ended: true, signedOut: true });
    expect(await resolve(here)).toBeNull();
    expect(await resolve(there)).not.toBeNull();
    expect(await newestAudit()).toMatchObject({ act: 'session.signOut', outcome: 'done' });
  });

  test('are all ended but the one of the call', async () => {
    const { id, name } = await newPerson();
    const values = [await enter(name), await enter(name), await enter(name)];
    const [here = '', ...others] = values;
    expect(await endOtherSessions(await contextWith(here))).toEqual({ ended: 2 });
    for (const value of others) expect(await resolve(value)).toBeNull();
    expect(await resolve(here)).toMatchObject({ userId: id });
    expect(await newestAudit()).toMatchObject({
      act: 'session.endOthers',
      outcome: 'done',
      result: { sessions: 2 },
    });
  });

  test('are not ended, and nothing is audited, where there are no others', async () => {
    const { name } = await newPerson();
    const here = await contextWith(await enter(name));
    const before = await newestAudit();
    expect(await endOtherSessions(here)).toEqual({ ended: 0 });
    expect(await newestAudit()).toEqual(before);
  });

  test('are not ended by a session that has itself ended', async () => {
    const { name } = await newPerson();
    const [here, there] = [await enter(name), await enter(name)];
    // As at a process that has not noticed yet.
    const ended = await contextWith(here);
    const id = await idOf(there);
    await endOtherSessions(await contextWith(there));
    for (const act of [() => endSession(ended, { id }), () => endOtherSessions(ended)]) {
      await expect(act()).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
      expect(await newestAudit()).toMatchObject({ outcome: 'refused' });
    }
    expect(await resolve(there)).not.toBeNull();
  });

  test('are listed and counted only while they are open', async () => {
    const { id, name } = await newPerson();
    await enter(name);
    runtime.clock.pass(SESSION_IDLE_MAX_MS - 1);
    const value = await enter(name);
    expect([(await list(value)).length, await openOf(id)]).toEqual([2, 2]);
    runtime.clock.pass(1);
    expect([(await list(value)).length, await openOf(id)]).toEqual([1, 1]);
    const input = { current: PASSWORD, next: 'eleven brass doors in Porto' };
    const ctx = { ...(await contextWith(value)), userAgent: FIREFOX };
    const next = (await changePassword(ctx, input)).session.value;
    // The replaced one is still accepted, for requests that its browser has sent already.
    expect(await list(next)).toMatchObject([{ isCurrent: true, browser: 'Firefox on Linux' }]);
    expect(await openOf(id)).toBe(1);
    runtime.clock.pass(SESSION_REPLACED_MS);
    expect(await openOf(id)).toBe(1);
  });

  test('are all ended by an admin, who sees how many there are', async () => {
    const { id, name } = await newPerson();
    const [one, other] = [await enter(name), await enter(name)];
    const bystander = await enter((await newPerson()).name);
    expect(await openOf(id)).toBe(2);
    expect(await endUserSessions(root(), { id })).toEqual({ ended: 2 });
    for (const value of [one, other]) expect(await resolve(value)).toBeNull();
    expect(await resolve(bystander)).not.toBeNull();
    expect(await openOf(id)).toBe(0);
    expect(await newestAudit()).toMatchObject({
      act: 'user.endSessions',
      subject: name,
      outcome: 'done',
      result: { sessions: 2 },
    });
    await enter(name);
  });

  test('are of users only: the command line has none', async () => {
    await expect(listSessions(root())).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    const signedOut = contextOf(runtime, null);
    await expect(listSessions(signedOut)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
  });
});
