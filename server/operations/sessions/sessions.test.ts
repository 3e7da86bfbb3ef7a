import { setImmediate } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { hashText } from '../../auth/hash-text';
import { verifyPassword } from '../../auth/passwords/password-hash';
import { SESSION_IDLE_MAX_MS, SESSION_MAX_MS } from '../../auth/sessions/session-limits';
import { createSetupToken, isSetupToken, SETUP_LINK_MAX_MS } from '../../auth/setup-link';
import {
  FAILURES_MAX,
  FAILURES_MAX_PER_ACCOUNT,
  FAILURES_MAX_PER_NETWORK,
  LOCKED_ATTEMPTS_MAX,
  SIGN_IN_WINDOW_MS,
} from '../../auth/sign-in-limits';
import { listAudit } from '../audit/list-audit';
import {
  COMMAND_LINE,
  contextOf,
  openTestRuntime,
  type TestRuntime,
} from '../testing/test-runtime';
import { changePassword } from '../users/change-password';
import { createUser } from '../users/create-user';
import { removeUser } from '../users/remove-user';
import { resetPassword } from '../users/reset-password';
import { setDisabled } from '../users/set-disabled';
import { setUpFirstAdmin } from '../users/set-up-first-admin';
import { getCurrentSession } from './get-current-session';
import { signIn } from './sign-in';
import { signOut } from './sign-out';

const SOON = { timeout: 20_000, interval: 5 };

const PASSWORD = 'seven green kites over Oslo';
const OTHER_PASSWORD = 'eleven brass doors in Porto';

describe.each(TEST_DIALECTS)('sessions on %s', (dialect) => {
  let runtime: TestRuntime;
  let people = 0;
  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
  });
  afterAll(() => runtime.close());

  async function newPerson(): Promise<{ id: string; name: string }> {
    const name = `person ${++people}`;
    const input = { name, role: 'viewer' as const, password: PASSWORD };
    return { ...(await createUser(contextOf(runtime, COMMAND_LINE), input)), name };
  }
  /** Each person signs in from an address of their own. */
  const addressOf = (name: string) => `2001:db8:0:${name.split(' ')[1]}::1`;
  const enter = (name: string, password = PASSWORD, address = addressOf(name), known?: string) =>
    signIn(
      contextOf(runtime, null, address),
      { name, password },
      { knownBrowserOf: () => known ?? null, countRefusedSignIn() {} },
    );
  const resolve = (value: string) => runtime.sessions.resolve(value);
  async function seenAt(value: string): Promise<number | undefined> {
    const { db, tables } = runtime.database;
    const own = eq(tables.sessions.id, hashText(value));
    return (await db.select().from(tables.sessions).where(own))[0]?.seenAt;
  }
  const contextWith = async (value: string) => {
    const actor = await resolve(value);
    return contextOf(runtime, actor, addressOf(actor?.name ?? ''));
  };

  test('a session is valid until sign-out, and two sign-ins are two sessions', async () => {
    const { id, name } = await newPerson();
    const first = (await enter(name)).session.value;
    const second = (await enter(name)).session.value;
    expect(first).not.toBe(second);
    expect(await resolve(first)).toMatchObject({
      kind: 'user',
      userId: id,
      name,
      role: 'viewer',
      stale: false,
    });
    await signOut(await contextWith(first));
    expect(await resolve(first)).toBeNull();
    expect(await resolve(second)).toMatchObject({ userId: id });
  });

  test('signed out of twice at the same time is audited as signed out once', async () => {
    const { name } = await newPerson();
    const ctx = await contextWith((await enter(name)).session.value);
    await Promise.all([signOut(ctx), signOut(ctx)]);
    const filter = { act: 'session.signOut', subject: name, limit: 10 };
    const { rows } = await listAudit(contextOf(runtime, COMMAND_LINE), filter);
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual(['done', 'not_applied']);
  });

  test('a user can sign in by a name with a trailing space, as phones type it', async () => {
    const { id, name } = await newPerson();
    const { session } = await enter(`${name} `);
    expect(await resolve(session.value)).toMatchObject({ userId: id });
  });

  test('no stored session can be used as a cookie', async () => {
    const { session } = await enter((await newPerson()).name);
    const { db, tables } = runtime.database;
    const rows = await db.select().from(tables.sessions);
    expect(JSON.stringify(rows)).not.toContain(session.value);
    for (const { id } of rows) expect(await resolve(id)).toBeNull();
    expect(await resolve('')).toBeNull();
    expect(await runtime.sessions.resolve(null)).toBeNull();
  });

  test('a session ends after half an hour without a request', async () => {
    const { session } = await enter((await newPerson()).name);
    for (let request = 0; request < 4; request++) {
      runtime.clock.pass(SESSION_IDLE_MAX_MS - 120_000);
      expect(await resolve(session.value)).not.toBeNull();
      // The last use is written after the answer.
      await expect.poll(() => seenAt(session.value), SOON).toBe(runtime.clock.now());
    }
    runtime.clock.pass(SESSION_IDLE_MAX_MS);
    expect(await resolve(session.value)).toBeNull();
  });

  test('a session ends after twelve hours, even in use', async () => {
    const { session } = await enter((await newPerson()).name);
    const { db, tables } = runtime.database;
    runtime.clock.pass(SESSION_MAX_MS - 1_000);
    await db
      .update(tables.sessions)
      .set({ seenAt: runtime.clock.now() })
      .where(eq(tables.sessions.createdAt, tables.sessions.createdAt));
    expect(await resolve(session.value)).not.toBeNull();
    runtime.clock.pass(1_000);
    expect(await resolve(session.value)).toBeNull();
  });

  test('a changed password ends the other sessions, and only the new one signs in', async () => {
    const { name } = await newPerson();
    const [here, there] = [(await enter(name)).session.value, (await enter(name)).session.value];
    const ctx = await contextWith(here);
    await expect(
      changePassword(ctx, { current: 'wrong', next: OTHER_PASSWORD }),
    ).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    await expect(
      changePassword(ctx, { current: PASSWORD, next: 'password1234' }),
    ).rejects.toMatchObject({ reason: 'INVALID' });
    await changePassword(ctx, { current: PASSWORD, next: OTHER_PASSWORD });
    expect(await resolve(there)).toBeNull();
    await expect(enter(name)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    await enter(name, OTHER_PASSWORD);
  });

  test('a copied cookie is refused 5 s after its user has changed the password', async () => {
    const { id, name } = await newPerson();
    const old = (await enter(name)).session.value;
    const input = { current: PASSWORD, next: OTHER_PASSWORD };
    const { session } = await changePassword(await contextWith(old), input);
    // The browser may have sent other requests before it received the new cookie.
    expect(await resolve(old)).toMatchObject({ userId: id });
    runtime.clock.pass(5_000);
    expect(await resolve(old)).toBeNull();
    expect(await resolve(session.value)).toMatchObject({ userId: id });
  });

  test('a sign-in ends the session that the browser had, even that of another user', async () => {
    const [first, second] = [await newPerson(), await newPerson()];
    const before = (await enter(first.name)).session.value;
    const elsewhere = (await enter(first.name)).session.value;
    const after = await signIn(await contextWith(before), {
      name: second.name,
      password: PASSWORD,
    });
    expect(await resolve(before)).toBeNull();
    expect(await resolve(elsewhere)).toMatchObject({ userId: first.id });
    expect(await resolve(after.session.value)).toMatchObject({ userId: second.id });
  });

  test('a failed sign-in keeps the session that the browser had', async () => {
    const { id, name } = await newPerson();
    const { value } = (await enter(name)).session;
    const failing = signIn(await contextWith(value), { name, password: OTHER_PASSWORD });
    await expect(failing).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    expect(await resolve(value)).toMatchObject({ userId: id });
  });

  test('a disabled user is signed out: here at once, elsewhere within 1 s', async () => {
    const { id, name } = await newPerson();
    const { value } = (await enter(name)).session;
    const elsewhere = runtime.anotherProcess();
    expect(await elsewhere.sessions.resolve(value)).not.toBeNull();
    await setDisabled(contextOf(runtime, COMMAND_LINE), { id, disabled: true });
    expect(await resolve(value)).toBeNull();
    runtime.clock.pass(1_000);
    expect(await elsewhere.sessions.resolve(value)).toBeNull();
    await expect(enter(name)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    await setDisabled(contextOf(runtime, COMMAND_LINE), { id, disabled: false });
    expect(await resolve(value)).toBeNull();
    await enter(name);
    await elsewhere.apiKeys.close();
  });

  test('a user who is removed while signing in is refused like an unknown one', async () => {
    const { id, name } = await newPerson();
    const { database } = runtime;
    const transaction = database.transaction.bind(database);
    // The first begins after the person was found.
    vi.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
      await removeUser(contextOf(runtime, COMMAND_LINE), { id });
      return transaction(work);
    });
    const refused = await enter(name).catch((error: Error) => error);
    vi.restoreAllMocks();
    const unknown = await enter(name).catch((error: Error) => error);
    expect(refused).toMatchObject({ reason: 'UNAUTHENTICATED' });
    expect(refused).toEqual(unknown);
  });

  test('a password reset ends every session', async () => {
    const { id, name } = await newPerson();
    const { value } = (await enter(name)).session;
    await resetPassword(contextOf(runtime, COMMAND_LINE), { id, password: OTHER_PASSWORD });
    expect(await resolve(value)).toBeNull();
    await enter(name, OTHER_PASSWORD);
  });

  /** Fails `times` times in parallel; every attempt must be refused. */
  async function fail(times: number, name: string, address?: string, known?: string) {
    const tries = Array.from({ length: times }, () => enter(name, 'wrong', address, known));
    for (const { status } of await Promise.allSettled(tries)) expect(status).toBe('rejected');
  }

  test('five failures lock the account for their network, whatever the password', async () => {
    const { name } = await newPerson();
    const session = (await enter(name)).session.value;
    await fail(FAILURES_MAX + 3, name, '198.51.100.1');
    const locked = enter(name, PASSWORD, '198.51.100.1');
    await expect(locked).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    expect(await resolve(session)).not.toBeNull();
    await enter(name, PASSWORD, '198.51.100.2');
    await enter((await newPerson()).name, PASSWORD, '198.51.100.1');

    const { db, tables } = runtime.database;
    const counts = (await db.select().from(tables.signInFailures)).map(({ failures }) => failures);
    expect(Math.max(...counts)).toBe(FAILURES_MAX);

    runtime.clock.pass(SIGN_IN_WINDOW_MS);
    await enter(name, PASSWORD, '198.51.100.1');
  });

  test('for a locked account only a limited number of attempts cost a password check', async () => {
    const { name } = await newPerson();
    await fail(FAILURES_MAX + LOCKED_ATTEMPTS_MAX, name, '198.51.100.5');
    for (const who of [name, `no ${name}`]) {
      if (who !== name) await fail(FAILURES_MAX + LOCKED_ATTEMPTS_MAX, who, '198.51.100.5');
      const refused = enter(who, PASSWORD, '198.51.100.5');
      await expect(refused).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
    }
    await enter((await newPerson()).name, PASSWORD, '198.51.100.5');
    await enter(name, PASSWORD, '198.51.100.6');
    runtime.clock.pass(SIGN_IN_WINDOW_MS);
    await enter(name, PASSWORD, '198.51.100.5');
  });

  test('an attempt whose password could not be checked does not count as a failure', async () => {
    const { name } = await newPerson();
    const costly = ['scrypt', 14, 'A'.repeat(22), 'A'.repeat(43)].join('$');
    let isFlooded = true;
    const flood = Array.from({ length: 64 }, async () => {
      while (isFlooded) {
        await verifyPassword('a guess', costly).catch(() => undefined);
        await setImmediate();
      }
    });
    for (let refused = 0; refused < FAILURES_MAX; ) {
      const reason = await enter(name).then(
        () => 'none',
        (error) => error.reason,
      );
      refused = reason === 'RATE_LIMITED' ? refused + 1 : 0;
    }
    isFlooded = false;
    await Promise.all(flood);
    expect((await enter(name)).user.name).toBe(name);
  });

  test('a clock that is set back does not keep an account locked', async () => {
    const { name } = await newPerson();
    await fail(FAILURES_MAX, name);
    runtime.clock.pass(-3 * SIGN_IN_WINDOW_MS);
    await enter(name);
    runtime.clock.pass(3 * SIGN_IN_WINDOW_MS);
  });

  test('a known browser has five failures of its own, which no other can use up', async () => {
    const { name } = await newPerson();
    await fail(FAILURES_MAX + 1, name, '198.51.100.7');
    await enter(name, PASSWORD, '198.51.100.7', 'a browser');
    await fail(FAILURES_MAX - 1, name, '198.51.100.7', 'a browser');
    await enter(name, PASSWORD, '203.0.113.1', 'a browser');
    await fail(FAILURES_MAX, name, '198.51.100.7', 'a browser');
    const locked = enter(name, PASSWORD, '203.0.113.1', 'a browser');
    await expect(locked).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    await enter(name, PASSWORD, '198.51.100.7', 'another browser');
    runtime.clock.pass(SIGN_IN_WINDOW_MS);
    await enter(name, PASSWORD, '198.51.100.7', 'a browser');
  });

  test('guesses from many networks lock an account for all but known browsers', async () => {
    const { name } = await newPerson();
    const networks = FAILURES_MAX_PER_ACCOUNT / FAILURES_MAX;
    for (let network = 0; network < networks; network++) {
      await fail(FAILURES_MAX, name, `2001:db8:5:${network}::1`);
    }
    const locked = enter(name, PASSWORD, '203.0.113.2');
    await expect(locked).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    await enter(name, PASSWORD, '2001:db8:5:1::1', 'a browser');
    runtime.clock.pass(SIGN_IN_WINDOW_MS);
    await enter(name, PASSWORD, '203.0.113.2');
  });

  test('a password reset lifts every sign-in lock, also of known browsers', async () => {
    const { id, name } = await newPerson();
    const other = await newPerson();
    for (const [network, known] of [['198.51.100.3'], ['198.51.100.4'], ['x', 'a browser']]) {
      await fail(FAILURES_MAX, name, network, known);
    }
    await fail(FAILURES_MAX, other.name, '198.51.100.3');
    await resetPassword(contextOf(runtime, COMMAND_LINE), { id, password: OTHER_PASSWORD });
    await enter(name, OTHER_PASSWORD, '198.51.100.3');
    await enter(name, OTHER_PASSWORD, '198.51.100.4');
    await enter(name, OTHER_PASSWORD, 'x', 'a browser');
    const still = enter(other.name, PASSWORD, '198.51.100.3');
    await expect(still).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
  });

  test('wrong current passwords only lock that session out of changing the password', async () => {
    const { name } = await newPerson();
    const [here, there] = [(await enter(name)).session.value, (await enter(name)).session.value];
    const change = async (value: string, current: string) =>
      changePassword(await contextWith(value), { current, next: OTHER_PASSWORD });
    for (let failure = 0; failure < FAILURES_MAX; failure++) {
      await expect(change(here, 'wrong')).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    }
    await expect(change(here, PASSWORD)).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
    await enter(name);
    await change(there, PASSWORD);
  });

  test('the right password resets the count of failures', async () => {
    const { name } = await newPerson();
    for (let round = 0; round < 2; round++) {
      for (let failure = 0; failure < FAILURES_MAX - 1; failure++) {
        await expect(enter(name, 'wrong')).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
      }
      await enter(name);
    }
  });

  test('an unknown name, a wrong password and a locked account get the same answer', async () => {
    const { name } = await newPerson();
    const failure = (who: string) =>
      enter(who, 'wrong', '2001:db8:9::1').catch((error: Error) => error);
    const wrong = await failure(name);
    for (let more = 0; more < FAILURES_MAX; more++) await failure(name);
    const locked = await failure(name);
    const unknown = await failure('an unknown user');
    expect(
      new Set(
        [wrong, locked, unknown].map((error) =>
          JSON.stringify(error, ['reason', 'message', 'name']),
        ),
      ).size,
    ).toBe(1);
    expect((wrong as Error).message).toBe((locked as Error).message);
    expect((wrong as Error).message).toBe((unknown as Error).message);
  });

  test('a failed sign-in is audited before its answer, whose time reveals nothing', async () => {
    const { name } = await newPerson();
    const { audit } = runtime.database.tables;
    const triesAs = async (actor: string) => {
      const rows = await runtime.database.db.select().from(audit).where(eq(audit.actor, actor));
      return rows
        .filter(({ act }) => act === 'session.signIn')
        .reduce((sum, { result }) => sum + (JSON.parse(result).count ?? 1), 0);
    };
    for (const [typed, actor] of [
      [name, name],
      ['an unknown user', 'unknown'],
    ] as const) {
      for (let before = await triesAs(actor), tries = 1; tries <= 3; tries++) {
        await fail(1, typed, '2001:db8:11::1');
        expect([typed, await triesAs(actor)]).toEqual([typed, before + tries]);
      }
    }
  });

  test('failures of a network are limited over all names, except for known browsers', async () => {
    const { name } = await newPerson();
    for (let other = 0; other < FAILURES_MAX_PER_NETWORK; other++) {
      await fail(1, `x${other}`, '2001:db8:a:b::1');
    }
    const sameNetwork = enter(name, PASSWORD, '2001:db8:a:b:ffff::2');
    await expect(sameNetwork).rejects.toMatchObject({
      reason: 'RATE_LIMITED',
      retryAfterMs: SIGN_IN_WINDOW_MS,
    });
    await enter(name, PASSWORD, '2001:db8:a:b:ffff::2', 'a browser');
    await enter(name, PASSWORD, '2001:db8:a:c::1');
  });
});

describe.each(TEST_DIALECTS)('the first admin on %s', (dialect) => {
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
  });
  afterAll(() => runtime.close());
  const setUp = (token: string, name = 'ana') =>
    setUpFirstAdmin(contextOf(runtime, null), { token, name, password: PASSWORD });
  const makeToken = async () => (await createSetupToken(runtime.database, runtime.clock)) ?? '';

  test('gets the form only with a valid link', async () => {
    const token = await makeToken();
    const isOffered = (text: string) => isSetupToken(runtime.database, text, runtime.clock.now());
    expect(await Promise.all([token, `${token}x`, ''].map(isOffered))).toEqual([
      true,
      false,
      false,
    ]);
    runtime.clock.pass(SETUP_LINK_MAX_MS);
    expect(await isOffered(token)).toBe(false);
  });

  test('is created by one of several links used at once, and is signed in', async () => {
    expect(await getCurrentSession(contextOf(runtime, null))).toEqual({
      user: null,
      setupNeeded: true,
      demo: false,
    });
    const expired = await makeToken();
    runtime.clock.pass(SETUP_LINK_MAX_MS);
    for (const token of [expired, 'wrong']) {
      await expect(setUp(token)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    }
    const [one, two] = [await makeToken(), await makeToken()];
    const weak = setUpFirstAdmin(contextOf(runtime, null), {
      token: one,
      name: 'ana',
      password: 'password1234',
    });
    await expect(weak).rejects.toMatchObject({ reason: 'INVALID' });

    const results = await Promise.allSettled([
      setUp(one, 'ana'),
      setUp(two, 'bea'),
      setUp(one, 'cleo'),
    ]);
    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    const { user, session } = won[0]?.value ?? {};
    expect(user).toMatchObject({ role: 'admin' });
    const actor = await runtime.sessions.resolve(session?.value ?? '');
    expect(await getCurrentSession(contextOf(runtime, actor))).toEqual({
      user,
      setupNeeded: false,
      retentionDays: { history: 30, audit: null },
      demo: false,
    });
    expect(await createSetupToken(runtime.database, runtime.clock)).toBeNull();
    await expect(setUp(two)).rejects.toMatchObject({ reason: 'CONFLICT' });
    expect((await runtime.database.db.select().from(runtime.database.tables.users)).length).toBe(1);
  });
});
