import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newTestLocation, TEST_DIALECTS, type TestLocation } from '@/db/testing/test-database';
import type { Actor } from '../../../auth/actor';
import { readConfig } from '../../../bootstrap/config/config';
import { createRuntime } from '../../../bootstrap/create-runtime';
import { LockyardError } from '../../../contract/errors';
import type { LockEngine } from '../../../engine/lock-engine';
import { systemClock } from '../../../platform/clock';
import { listAudit } from '../../audit/list-audit';
import { resolveAuditIntents } from '../../audit/resolve-audit-intents';
import type { OperationContext, Runtime } from '../../operation-context';
import { userActor } from '../../testing/test-runtime';
import { acquireLock } from '../for-services/acquire-lock';
import { inspectLock } from '../for-services/inspect-lock';
import { renewLock } from '../for-services/renew-lock';
import { extendLock } from './extend-lock';
import { forceReleaseLock } from './force-release-lock';
import { requestRelease } from './request-release';
import { setFrozen } from './set-frozen';

const SERVICE: Actor = { kind: 'service', keyId: 'k', service: 'orders', namespaces: ['default'] };
const REASON = 'the holder is gone';

describe.each(TEST_DIALECTS)('acts on locks over %s', (dialect) => {
  let place: TestLocation;
  let folder: string;
  let runtime: Runtime;
  beforeAll(async () => {
    place = await newTestLocation(dialect);
    folder = await mkdtemp(join(tmpdir(), 'lockyard-'));
    const url = place.url.kind === 'mysql' ? place.url.url : `sqlite:${place.url.path}`;
    const config = readConfig({ LOCKYARD_DATA_DIR: folder, LOCKYARD_DATABASE_URL: url });
    runtime = await createRuntime(config, pino({ level: 'silent' }), systemClock);
  });
  afterAll(async () => {
    await runtime.close();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const as = (actor: Actor, over: Partial<Runtime> = {}): OperationContext => ({
    runtime: { ...runtime, ...over },
    actor,
    address: '192.0.2.1',
    requestId: 'test',
  });
  const operator = () => as(userActor('operator'));
  const audit = async () => (await listAudit(operator(), { limit: 50 })).rows;

  async function hold(name: string) {
    const answer = await acquireLock(as(SERVICE), {
      namespace: 'default',
      name,
      owner: 'worker-1',
      leaseMs: 60_000,
      waitMs: 0,
      mode: 'exclusive',
      reentrant: false,
      meta: {},
    });
    if (answer.outcome !== 'granted') throw new Error(answer.outcome);
    return { namespace: 'default', name, token: answer.token, rev: answer.rev };
  }
  const holderOf = async (name: string) =>
    (await inspectLock(as(SERVICE), { namespace: 'default', name })).holders[0];

  /** The engines, of which every `run`, answered or refused, is followed by `after`. */
  function enginesThat(after: (answer: unknown) => unknown): Partial<Runtime> {
    const [id, engine] = [...runtime.engines][0] as [string, LockEngine];
    const spoilt = new Proxy(engine, {
      get(target, property) {
        if (property !== 'run') return Reflect.get(target, property, target) as unknown;
        return async (...args: Parameters<LockEngine['run']>) =>
          after(await target.run(...args).catch((refusal: unknown) => refusal));
      },
    });
    return { engines: new Map([[id, spoilt]]) };
  }
  /** As if the process had been killed right after the act: the outcome is never written. */
  const killed = () => {
    throw new LockyardError('UNKNOWN', 'No answer.');
  };
  async function passForIntents(): Promise<void> {
    const { db, tables } = runtime.database;
    const longAgo = runtime.clock.now() - 60_000;
    await db.update(tables.audit).set({ at: longAgo }).where(eq(tables.audit.outcome, 'pending'));
  }

  test('a freeze keeps newcomers out until it is lifted, each with its audit entry', async () => {
    const { namespace, name, rev } = await hold('to freeze');
    const input = { namespace, name, rev, reason: 'the ledger is being repaired' };
    expect(await setFrozen(operator(), 'freeze', input)).toMatchObject({ outcome: 'frozen' });
    expect(await inspectLock(as(SERVICE), { namespace, name })).toMatchObject({
      state: 'frozen',
      holders: [{ owner: 'worker-1' }],
      frozen: { by: 'a operator', reason: input.reason },
    });
    expect((await audit())[0]).toMatchObject({
      act: 'lock.freeze',
      subject: name,
      seen: { rev },
      outcome: 'done',
      result: { outcome: 'frozen' },
    });
    expect(await setFrozen(operator(), 'unfreeze', input)).toMatchObject({ outcome: 'unfrozen' });
    expect((await audit())[0]).toMatchObject({ act: 'lock.unfreeze', outcome: 'done' });
    await expect(setFrozen(as(userActor('viewer')), 'freeze', input)).rejects.toThrow();
    expect((await audit())[0]).toMatchObject({ act: 'lock.freeze', outcome: 'refused' });
  });

  test('what operators request of a holder comes with its next renewal, and is audited', async () => {
    const seen = await hold('to be asked');
    const told = { ...seen, reason: 'the deploy waits' };
    for (const verb of ['askRelease', 'stopRenewals'] as const) {
      expect(await requestRelease(operator(), verb, told)).toMatchObject({ outcome: 'told' });
      const [entry] = await audit();
      expect(entry).toMatchObject({ act: `lock.${verb}`, seen: { token: seen.token } });
    }
    const { namespace, name, token } = seen;
    const renewal = { namespace, name, owner: 'worker-1', token, leaseMs: 600_000 };
    const renewed = await renewLock(as(SERVICE), renewal);
    expect(renewed).toMatchObject({
      outcome: 'renewed',
      askedToRelease: { reason: told.reason },
      renewalsStopped: { by: 'a operator' },
    });
    expect(renewed.outcome === 'renewed' && renewed.expiresInMs).toBeLessThan(60_001);
    const other = await requestRelease(operator(), 'askRelease', { ...told, token: token - 1 });
    expect(other).toMatchObject({ outcome: 'changed', holders: [{ token }] });
    expect((await audit())[0]).toMatchObject({ outcome: 'changed' });
  });

  test('a freeze whose outcome was not written is resolved', async () => {
    const { namespace, name, rev } = await hold('frozen unheard');
    const input = { namespace, name, rev, reason: REASON };
    await expect(
      setFrozen(as(userActor('operator'), enginesThat(killed)), 'freeze', input),
    ).rejects.toThrow();
    await passForIntents();
    await resolveAuditIntents(runtime);
    const entry = (await audit()).find(({ subject }) => subject === name);
    expect(entry).toMatchObject({
      act: 'lock.freeze',
      outcome: 'done',
      result: { outcome: 'frozen' },
    });
  });

  test('a forced release ends the hold that was seen, with its audit entry before and after', async () => {
    const seen = await hold('forced');
    const answer = await forceReleaseLock(operator(), { ...seen, reason: REASON });
    expect(answer).toMatchObject({
      outcome: 'forced',
      token: seen.token,
      next: { kind: 'nobody' },
    });
    expect(await holderOf('forced')).toBeUndefined();
    expect((await audit())[0]).toMatchObject({
      act: 'lock.forceRelease',
      actor: 'a operator',
      namespace: 'default',
      subject: 'forced',
      reason: REASON,
      seen: { token: seen.token, rev: seen.rev },
      outcome: 'done',
      result: { outcome: 'forced', token: seen.token },
    });
  });

  test('an extension prolongs the hold that was seen', async () => {
    const seen = await hold('extended');
    const before = (await holderOf('extended'))?.expiresAt ?? 0;
    const answer = await extendLock(operator(), { ...seen, extendMs: 90_000, reason: REASON });
    expect(answer).toMatchObject({ outcome: 'extended', expiresAt: before + 90_000 });
    expect((await audit())[0]).toMatchObject({ act: 'lock.extend', outcome: 'done' });
  });

  test('another hold than the one that was seen is not touched, and the answer names both', async () => {
    const seen = await hold('changed');
    await forceReleaseLock(operator(), { ...seen, reason: REASON });
    const next = await hold('changed');
    for (const answer of [
      await forceReleaseLock(operator(), { ...seen, reason: REASON }),
      await extendLock(operator(), { ...seen, extendMs: 1_000, reason: REASON }),
    ]) {
      expect(answer).toMatchObject({ outcome: 'changed', holders: [{ token: next.token }] });
      expect((await audit())[0]).toMatchObject({ outcome: 'changed' });
    }
    expect(await holderOf('changed')).toMatchObject({ token: next.token });
  });

  test('a viewer, a service and a sign-in that cannot be checked may not act, and the try is written down', async () => {
    const seen = await hold('kept');
    const tries: [Actor, string][] = [
      [userActor('viewer'), 'FORBIDDEN'],
      [userActor('operator', true), 'BACKEND_DOWN'],
      [SERVICE, 'FORBIDDEN'],
    ];
    for (const [actor, reason] of tries) {
      const acts = [
        () => forceReleaseLock(as(actor), { ...seen, reason: REASON }),
        () => extendLock(as(actor), { ...seen, extendMs: 1_000, reason: REASON }),
      ];
      for (const act of acts) await expect(act()).rejects.toMatchObject({ reason });
    }
    const refused = (await audit()).filter(({ subject }) => subject === 'kept');
    expect(refused.map(({ outcome }) => outcome)).toEqual(Array(4).fill('refused'));
    expect(await holderOf('kept')).toMatchObject({ token: seen.token });
  });

  test('without its audit entry nothing is done', async () => {
    const seen = await hold('unaudited');
    const db = new Proxy(runtime.database.db, {
      get(target, property) {
        if (property === 'insert') throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
        return Reflect.get(target, property) as unknown;
      },
    });
    const ctx = as(userActor('operator'), { database: { ...runtime.database, db } });
    const act = forceReleaseLock(ctx, { ...seen, reason: REASON });
    await expect(act).rejects.toMatchObject({ reason: 'BACKEND_DOWN' });
    expect(await holderOf('unaudited')).toMatchObject({ token: seen.token });
  });

  test('an act that was applied although its reply was lost is resolved as done, once its process can no longer apply it', async () => {
    const seen = await hold('unheard');
    const ctx = as(userActor('operator'), enginesThat(killed));
    const act = forceReleaseLock(ctx, { ...seen, reason: REASON });
    await expect(act).rejects.toMatchObject({ reason: 'UNKNOWN' });
    expect((await audit())[0]).toMatchObject({ outcome: 'pending', closedAt: null });
    await resolveAuditIntents(runtime);
    expect((await audit())[0]).toMatchObject({ outcome: 'pending' });
    await passForIntents();
    await resolveAuditIntents(runtime);
    expect((await audit())[0]).toMatchObject({
      subject: 'unheard',
      outcome: 'done',
      result: { outcome: 'forced', token: seen.token },
    });
  });

  test('so is one that its caller gave a request id; another one under that id was not done', async () => {
    const seen = await hold('unheard by id');
    const ask = { ...seen, extendMs: 5_000, reason: REASON, requestId: 'r1' };
    for (const extendMs of [5_000, 9_000]) {
      const ctx = as(userActor('operator'), enginesThat(killed));
      await expect(extendLock(ctx, { ...ask, extendMs })).rejects.toThrow();
    }
    await passForIntents();
    await resolveAuditIntents(runtime);
    const entries = (await audit()).filter(({ subject }) => subject === 'unheard by id');
    expect(entries).toMatchObject([
      { seen: { extendMs: 9_000, requestId: 'r1' }, outcome: 'not_applied' },
      {
        seen: { extendMs: 5_000, requestId: 'r1' },
        outcome: 'done',
        result: { outcome: 'extended' },
      },
    ]);
    const before = (await holderOf('unheard by id'))?.expiresAt;
    expect(await extendLock(operator(), ask)).toMatchObject({
      outcome: 'extended',
      expiresAt: before,
    });
  });

  test('an act that was never done is found out too', async () => {
    const seen = await hold('undone');
    const stale = { ...seen, token: seen.token - 1 };
    const ctx = as(userActor('operator'), enginesThat(killed));
    await expect(extendLock(ctx, { ...stale, extendMs: 1_000, reason: REASON })).rejects.toThrow();
    await passForIntents();
    await resolveAuditIntents(runtime);
    expect((await audit())[0]).toMatchObject({ subject: 'undone', outcome: 'not_applied' });
  });

  test('a namespace that does not exist is NOT_FOUND, and the try is closed', async () => {
    const lost = { namespace: 'nowhere', name: 'x', token: 1, rev: 1, reason: REASON };
    await expect(forceReleaseLock(operator(), lost)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    expect((await audit())[0]).toMatchObject({
      outcome: 'failed',
      result: { reason: 'NOT_FOUND' },
    });
  });
});
