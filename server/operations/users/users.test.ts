import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import type { Actor } from '../../auth/actor';
import { changeApiKey } from '../api-keys/change-api-key';
import { createApiKey } from '../api-keys/create-api-key';
import { listAllApiKeys } from '../api-keys/list-api-keys';
import { revokeApiKey } from '../api-keys/revoke-api-key';
import { listAudit } from '../audit/list-audit';
import { createNamespace } from '../namespaces/create-namespace';
import { signIn } from '../sessions/sign-in';
import {
  COMMAND_LINE,
  contextOf,
  openTestRuntime,
  type TestRuntime,
  userActor,
} from '../testing/test-runtime';
import { createUser } from './create-user';
import { endUserSessions } from './end-user-sessions';
import { listUsers } from './list-users';
import { resetPassword } from './reset-password';
import { setDisabled } from './set-disabled';
import { setRole } from './set-role';

const PASSWORD = 'seven green kites over Oslo';
const NEXT = 'eight grey herons over Turku';
const AUDIT_PAGE = { limit: 200 };

describe.each(TEST_DIALECTS)('users and permissions on %s', (dialect) => {
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
  });
  afterAll(() => runtime.close());
  const as = (actor: Actor | null) => contextOf(runtime, actor);
  const root = () => as(COMMAND_LINE);
  const audit = async () => (await listAudit(root(), AUDIT_PAGE)).rows;
  const create = (name: string, role: 'viewer' | 'operator' | 'admin') =>
    createUser(root(), { name, role, password: PASSWORD });

  /** Everything that only an admin may do. */
  const adminActs: [string, (actor: Actor | null) => Promise<unknown>][] = [
    ['user.create', (a) => createUser(as(a), { name: 'x', role: 'admin', password: PASSWORD })],
    ['user.setRole', (a) => setRole(as(a), { id: 'x', role: 'admin' })],
    ['user.setDisabled', (a) => setDisabled(as(a), { id: 'x', disabled: true })],
    ['user.resetPassword', (a) => resetPassword(as(a), { id: 'x', password: PASSWORD })],
    ['user.endSessions', (a) => endUserSessions(as(a), { id: 'x' })],
    ['key.create', (a) => createApiKey(as(a), { name: 'x', namespaces: ['default'] })],
    ['key.revoke', (a) => revokeApiKey(as(a), { id: 'x' })],
    ['namespace.create', (a) => createNamespace(as(a), { name: 'x', backend: 'default' })],
  ];
  const service: Actor = { kind: 'service', keyId: 'k', service: 's', namespaces: ['default'] };

  test.each(adminActs)(
    '%s is for admins only, and a refused attempt is in the audit log',
    async (act, run) => {
      await expect(run(null)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
      await expect(run(service)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
      for (const role of ['viewer', 'operator'] as const) {
        await expect(run(userActor(role))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
        const [newest] = await audit();
        expect(newest).toMatchObject({
          act,
          actor: `a ${role}`,
          outcome: 'refused',
          address: '192.0.2.1',
        });
      }
      await expect(run(userActor('admin', true))).rejects.toMatchObject({ reason: 'BACKEND_DOWN' });
      expect((await listUsers(root())).map(({ name }) => name)).not.toContain('x');
      expect((await listAllApiKeys(root())).map(({ name }) => name)).not.toContain('x');
    },
  );

  test('only admins see users and keys', async () => {
    for (const look of [listUsers, listAllApiKeys]) {
      await expect(look(as(userActor('operator')))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
      await expect(look(as(null))).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
      await look(as(userActor('admin')));
    }
    await listAudit(as(userActor('viewer')), AUDIT_PAGE);
    await expect(listAudit(as(service), AUDIT_PAGE)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  });

  test('two users cannot have one name, even if they are created at once', async () => {
    const results = await Promise.allSettled([create('Zoë', 'viewer'), create('Zoë', 'admin')]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(create('Zoë', 'viewer')).rejects.toMatchObject({ reason: 'CONFLICT' });
    await create('Zora', 'viewer');
    const found = (await listUsers(root())).filter(({ name }) => name === 'Zoë');
    expect(found).toHaveLength(1);
    expect(Object.keys(found[0] ?? {})).not.toContain('passwordHash');
  });

  test('a name that imitates another user is refused, even if both are added at once', async () => {
    await create('Olga', 'viewer');
    for (const name of ['olga', 'OLGA', '0lga']) {
      await expect(create(name, 'admin')).rejects.toMatchObject({ reason: 'CONFLICT' });
    }
    await expect(create('Lockyard', 'viewer')).rejects.toMatchObject({ reason: 'INVALID' });
    const both = await Promise.allSettled([create('bruno', 'viewer'), create('Bruno', 'viewer')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const names = (await listUsers(root())).map(({ name }) => name.toLowerCase());
    expect(names.filter((name) => name === 'olga' || name === 'bruno')).toHaveLength(2);
  });

  test('a weak password is refused, and the action is not recorded as done', async () => {
    const weak = createUser(root(), { name: 'weak', role: 'viewer', password: 'password1234' });
    await expect(weak).rejects.toMatchObject({ reason: 'INVALID' });
    expect((await listUsers(root())).map(({ name }) => name)).not.toContain('weak');
  });

  test('the last enabled admin cannot be demoted or disabled, even by parallel calls', async () => {
    const before = (await listUsers(root())).filter(({ role }) => role === 'admin');
    const ids = [await create('admin one', 'admin'), await create('admin two', 'admin')].map(
      ({ id }) => id,
    );
    const admins = [...before.map(({ id }) => id), ...ids];
    const results = await Promise.allSettled(
      admins.map((id, index) =>
        index % 2 === 0
          ? setRole(root(), { id, role: 'viewer' })
          : setDisabled(root(), { id, disabled: true }),
      ),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { reason: 'CONFLICT' } },
    ]);
    const left = (await listUsers(root())).filter(
      ({ role, disabledAt }) => role === 'admin' && disabledAt === null,
    );
    expect(left).toHaveLength(1);
    const id = left[0]?.id ?? '';
    await expect(setDisabled(root(), { id, disabled: true })).rejects.toMatchObject({
      reason: 'CONFLICT',
    });
    await setRole(root(), { id, role: 'admin' });
  });

  test('an unknown user is NOT_FOUND', async () => {
    for (const [act, run] of adminActs.slice(1, 5)) {
      await expect(run(COMMAND_LINE), act).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    }
  });

  describe('a user who is no longer an admin when the action is applied', () => {
    /** The caller of a request that began while this was an admin who was signed in. */
    async function lapsed(name: string, how: (id: string) => Promise<unknown>): Promise<Actor> {
      const { id } = await create(name, 'admin');
      const { session } = await signIn(as(null), { name, password: PASSWORD });
      const actor = await runtime.sessions.resolve(session.value);
      await how(id);
      return actor as Actor;
    }
    const ways: [string, string, (id: string) => Promise<unknown>][] = [
      ['was made an operator', 'FORBIDDEN', (id) => setRole(root(), { id, role: 'operator' })],
      ['was disabled', 'UNAUTHENTICATED', (id) => setDisabled(root(), { id, disabled: true })],
      ['got a password', 'UNAUTHENTICATED', (id) => resetPassword(root(), { id, password: NEXT })],
    ];

    test.each(ways)(
      'changes nothing as it %s, and the audit log says so',
      async (how, reason, make) => {
        const admin = await lapsed(`Zara ${ways.findIndex(([way]) => way === how)}`, make);
        const { id } = await create(`target ${how}`, 'viewer');
        const acts = [
          () => setRole(as(admin), { id, role: 'admin' }),
          () => createUser(as(admin), { name: `ally ${how}`, role: 'admin', password: PASSWORD }),
          () => createApiKey(as(admin), { name: 'ally', namespaces: ['default'] }),
        ];
        for (const act of acts) {
          await expect(act()).rejects.toMatchObject({ reason });
          const [newest] = await audit();
          expect(newest).toMatchObject({ outcome: 'refused', result: { reason } });
        }
        const people = await listUsers(root());
        expect(people.find((person) => person.id === id)).toMatchObject({ role: 'viewer' });
        expect(people.map(({ name }) => name)).not.toContain(`ally ${how}`);
        expect((await listAllApiKeys(root())).map(({ name }) => name)).not.toContain('ally');
      },
    );
  });

  test('admins may give up the role; of two who demote each other at once, one stays', async () => {
    const signedIn = async (name: string) => {
      const { id } = await create(name, 'admin');
      const { session } = await signIn(as(null), { name, password: PASSWORD });
      return { id, actor: await runtime.sessions.resolve(session.value) };
    };
    const [ida, ines] = [await signedIn('Ida'), await signedIn('Ines')];
    const demote = (by: typeof ida, { id }: typeof ida) =>
      setRole(as(by.actor), { id, role: 'viewer' });
    const results = await Promise.allSettled([demote(ida, ines), demote(ines, ida)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { reason: 'FORBIDDEN' },
    });
    const left = results[0]?.status === 'fulfilled' ? ida : ines;
    await demote(left, left);
    const roles = (await listUsers(root())).filter(({ id }) => [ida.id, ines.id].includes(id));
    expect(roles.map(({ role }) => role)).toEqual(['viewer', 'viewer']);
  });

  test('a namespace is created once, on a configured backend', async () => {
    const make = (name: string, backend = 'default') => createNamespace(root(), { name, backend });
    expect(await runtime.namespaces.get('fresh')).toBeNull();
    await make('fresh');
    expect(await runtime.namespaces.get('fresh')).toEqual({ name: 'fresh', backend: 'default' });
    await expect(make('fresh')).rejects.toMatchObject({ reason: 'CONFLICT' });
    await expect(make('default')).rejects.toMatchObject({ reason: 'CONFLICT' });
    await expect(make('elsewhere', 'nowhere')).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  test('every action is in the audit log with its outcome, and without secrets', async () => {
    const wanted = { name: 'audited', namespaces: ['default'] };
    const { id: keyId, key } = await createApiKey(root(), wanted);
    const { id } = await create('audited person', 'viewer');
    await setRole(root(), { id, role: 'operator' });
    const [role, person, made] = await audit();
    expect(role).toMatchObject({
      act: 'user.setRole',
      outcome: 'done',
      result: { from: 'viewer', to: 'operator' },
    });
    expect(person).toMatchObject({
      act: 'user.create',
      subject: 'audited person',
      actorKind: 'cli',
      outcome: 'done',
    });
    expect(made).toMatchObject({
      act: 'key.create',
      seen: { namespaces: ['default'] },
      closedAt: expect.any(Number),
    });
    const unchanging = [
      () => setRole(root(), { id, role: 'operator' }),
      () => setDisabled(root(), { id, disabled: false }),
      () => changeApiKey(root(), { id: otherId, namespaces: ['default'], expiresAt: null }),
      () => revokeApiKey(root(), { id: keyId }),
    ];
    const { id: otherId } = await createApiKey(root(), { ...wanted, name: 'live' });
    await revokeApiKey(root(), { id: keyId });
    for (const change of unchanging) {
      await change();
      expect((await audit())[0], change.toString()).toMatchObject({ outcome: 'not_applied' });
    }
    const dump = JSON.stringify(await audit());
    for (const secret of [key, key.slice(-20), PASSWORD, 'scrypt$'])
      expect(dump).not.toContain(secret);
  });

  test('a change whose audit entry cannot be written is not applied', async () => {
    const { db } = runtime.database;
    const broken = new Proxy(db, {
      get(target, property) {
        if (property === 'insert')
          throw Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' });
        return Reflect.get(target, property) as unknown;
      },
    });
    const ctx = contextOf(
      { ...runtime, database: Object.create(runtime.database, { db: { value: broken } }) },
      COMMAND_LINE,
    );
    const failing = createNamespace(ctx, { name: 'unaudited', backend: 'default' });
    await expect(failing).rejects.toMatchObject({ reason: 'BACKEND_DOWN' });
    expect(await runtime.namespaces.get('unaudited')).toBeNull();
  });

  test('the audit log is paged and can be searched for any text', async () => {
    for (const name of ['page-1', 'page-2', 'page-3', '100%_!x'.replace(/\W/g, '-')]) {
      await createNamespace(root(), { name: name.toLowerCase(), backend: 'default' });
    }
    const list = (more: Record<string, unknown>) => listAudit(root(), { limit: 200, ...more });
    const first = await list({ limit: 2, act: 'namespace.create' });
    expect(first.rows.map(({ subject }) => subject)).toEqual(['100-_-x', 'page-3']);
    const second = await list({ limit: 2, act: 'namespace.create', before: first.older });
    expect(second.rows.map(({ subject }) => subject)).toEqual(['page-2', 'page-1']);
    expect((await list({ search: 'PAGE-' })).rows).toHaveLength(3);
    expect((await list({ search: '-_-' })).rows).toHaveLength(1);
    for (const search of ['%', '!', "'", '\\', '"; drop table audit; --', 'no such thing 🔒']) {
      expect((await list({ search })).rows, search).toEqual([]);
    }
    expect(
      (await list({ outcome: 'refused' })).rows.every(({ outcome }) => outcome === 'refused'),
    ).toBe(true);
    expect((await list({})).older).toBeNull();
  });
});
