import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import type { Actor } from '../../../auth/actor';
import { LockyardError } from '../../../contract/errors';
import { ANSWER_RETENTION_MS } from '../../../core/timing';
import type { LockEngine } from '../../../engine/lock-engine';
import { acquire } from '../../../engine/testing/engine-rig';
import { listAudit } from '../../audit/list-audit';
import { resolveAuditIntents } from '../../audit/resolve-audit-intents';
import type { Runtime } from '../../operation-context';
import { ActsRig, SERVICE } from '../../testing/acts-rig';
import { userActor } from '../../testing/test-runtime';
import { acquireLock } from '../for-services/acquire-lock';
import { inspectLock } from '../for-services/inspect-lock';
import { renewLock } from '../for-services/renew-lock';
import { extendLock } from './extend-lock';
import { forceReleaseLock } from './force-release-lock';
import { reassignLock } from './reassign-lock';
import { requestRelease } from './request-release';
import { setCapacity } from './set-capacity';
import { setFrozen } from './set-frozen';

const REASON = 'the holder is gone';

describe.each(TEST_DIALECTS)('actions on locks over %s', (dialect) => {
  let rig: ActsRig;
  beforeAll(async () => {
    rig = await ActsRig.open(dialect);
  });
  afterAll(() => rig.close());

  const as = (actor: Actor) => rig.as(actor);
  const operator = (over?: Partial<Runtime>) => rig.operator(over);
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

  /** As if the process had been killed right after the act: the outcome is never written. */
  const killed = () => {
    throw new LockyardError('UNKNOWN', 'No answer.');
  };
  const killedEngines = () => rig.enginesThat('run', killed);

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
    const again = { ...input, reason: 'another repair' };
    expect(await setFrozen(operator(), 'freeze', again)).toMatchObject({ outcome: 'unchanged' });
    expect((await audit())[0]).toMatchObject({ act: 'lock.freeze', outcome: 'not_applied' });
    const ofAnother = { ...input, seenAt: 1 };
    expect(await setFrozen(operator(), 'unfreeze', ofAnother)).toMatchObject({
      outcome: 'otherFreeze',
      frozen: { by: 'a operator', reason: input.reason },
    });
    expect((await audit())[0]).toMatchObject({ act: 'lock.unfreeze', outcome: 'changed' });
    expect(await setFrozen(operator(), 'unfreeze', input)).toMatchObject({ outcome: 'unfrozen' });
    expect((await audit())[0]).toMatchObject({ act: 'lock.unfreeze', outcome: 'done' });
    expect(await setFrozen(operator(), 'unfreeze', again)).toMatchObject({ outcome: 'unchanged' });
    expect((await audit())[0]).toMatchObject({ act: 'lock.unfreeze', outcome: 'not_applied' });
    await expect(setFrozen(as(userActor('viewer')), 'freeze', input)).rejects.toThrow();
    expect((await audit())[0]).toMatchObject({ act: 'lock.freeze', outcome: 'refused' });
  });

  test('a lock is reassigned to the chosen waiter once, with both in the audit log', async () => {
    const seen = await hold('to reassign');
    const { namespace, name } = seen;
    const engine = rig.runtime.engines.get('default') as LockEngine;
    const waits = ['worker-2', 'worker-3'].map((owner) =>
      acquire({ engine }, { namespace, name }, owner, { leaseMs: 60_000, waitMs: 20_000 }),
    );
    const queue = async () => (await inspectLock(as(SERVICE), { namespace, name })).waiters;
    await expect.poll(async () => (await queue()).length).toBe(2);
    const [first, second] = await queue();
    const { owner = '', ticket = 0 } = second ?? {};
    const input = { ...seen, ticket, reason: REASON, requestId: 'r1' };
    await expect(reassignLock(as(userActor('viewer')), input)).rejects.toMatchObject({
      reason: 'FORBIDDEN',
    });
    const answer = await reassignLock(operator(), input);
    expect(answer).toMatchObject({ outcome: 'reassigned', next: { kind: 'granted', owner } });
    expect(await reassignLock(operator(), input)).toEqual(answer);
    expect(await queue()).toMatchObject([{ owner: first?.owner, place: 1 }]);
    const asked = { act: 'lock.reassign', subject: name, seen: { token: seen.token, ticket } };
    expect((await audit()).slice(0, 2)).toMatchObject([
      { ...asked, outcome: 'not_applied' },
      { ...asked, outcome: 'done', result: { next: { owner } } },
    ]);
    expect(await reassignLock(operator(), { ...input, requestId: 'r2' })).toMatchObject({
      outcome: 'changed',
      holders: [{ owner }],
      ended: { cause: 'forced', reason: REASON },
    });
    const token = (await holderOf(name))?.token ?? 0;
    const gone = { ...seen, token, ticket, reason: REASON };
    expect(await reassignLock(operator(), gone)).toMatchObject({ obstacle: 'waiterGone' });
    expect((await audit())[0]).toMatchObject({ outcome: 'not_applied' });
    const granted = await Promise.race(waits);
    expect(granted).toMatchObject({ outcome: 'granted', token });
    await forceReleaseLock(operator(), { ...seen, token, reason: REASON });
    await Promise.all(waits);
  });

  test("operators' requests to a holder arrive at its next renewal, and are audited", async () => {
    const seen = await hold('to be asked');
    const asked = { ...seen, reason: 'the deploy waits' };
    for (const verb of ['askRelease', 'stopRenewals'] as const) {
      expect(await requestRelease(operator(), verb, asked)).toMatchObject({ outcome: 'told' });
      const [entry] = await audit();
      expect(entry).toMatchObject({ act: `lock.${verb}`, seen: { token: seen.token } });
    }
    const { namespace, name, token } = seen;
    const renewal = { namespace, name, owner: 'worker-1', token, leaseMs: 600_000 };
    const renewed = await renewLock(as(SERVICE), renewal);
    expect(renewed).toMatchObject({
      outcome: 'renewed',
      askedToRelease: { reason: asked.reason },
      renewalsStopped: { by: 'a operator' },
    });
    expect(renewed.outcome === 'renewed' && renewed.expiresInMs).toBeLessThan(60_001);
    const other = await requestRelease(operator(), 'askRelease', { ...asked, token: token - 1 });
    expect(other).toMatchObject({ outcome: 'changed', holders: [{ token }] });
    expect((await audit())[0]).toMatchObject({ outcome: 'changed' });
  });

  test('a freeze whose outcome was not recorded is resolved', async () => {
    const { namespace, name, rev } = await hold('frozen unheard');
    const input = { namespace, name, rev, reason: REASON };
    await expect(setFrozen(operator(killedEngines()), 'freeze', input)).rejects.toThrow();
    await rig.passForIntents();
    await resolveAuditIntents(rig.runtime);
    const entry = (await audit()).find(({ subject }) => subject === name);
    expect(entry).toMatchObject({
      act: 'lock.freeze',
      outcome: 'done',
      result: { outcome: 'frozen' },
    });
  });

  test('a forced release ends the hold seen, with an audit entry before and after', async () => {
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

  test('a capacity is changed if it is the one that was seen, and audited with both', async () => {
    const lock = { namespace: 'default', name: 'permits' };
    const asked = { ...lock, owner: 'worker-1', leaseMs: 60_000, waitMs: 0, meta: {} };
    const permit = { mode: 'permit', permits: 2, capacity: 3, reentrant: false } as const;
    await acquireLock(as(SERVICE), { ...asked, ...permit });
    const change = { ...lock, rev: 1, seenCapacity: 3, capacity: 5, reason: REASON };
    expect(await setCapacity(operator(), change)).toMatchObject({ outcome: 'capacitySet' });
    const { permits } = await inspectLock(as(SERVICE), lock);
    expect(permits).toEqual({ capacity: 5, inUse: 2, named: 3 });
    const [entry] = await audit();
    expect(entry).toMatchObject({
      act: 'lock.setCapacity',
      seen: { capacity: 3, newCapacity: 5 },
      outcome: 'done',
    });
    const late = await setCapacity(operator(), { ...change, capacity: 7 });
    expect(late).toMatchObject({ outcome: 'otherCapacity', capacity: 5 });
    expect((await audit())[0]).toMatchObject({ outcome: 'changed' });
    await expect(setCapacity(as(userActor('viewer')), change)).rejects.toThrow();
  });

  test('a hold other than the one seen is not changed, and the answer names both', async () => {
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

  test('only a checked session of an operator may act, and refusals are audited', async () => {
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
    const db = new Proxy(rig.runtime.database.db, {
      get(target, property) {
        if (property === 'insert') throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
        return Reflect.get(target, property) as unknown;
      },
    });
    const database = Object.create(rig.runtime.database, { db: { value: db } });
    const ctx = operator({ database });
    const act = forceReleaseLock(ctx, { ...seen, reason: REASON });
    await expect(act).rejects.toMatchObject({ reason: 'BACKEND_DOWN' });
    expect(await holderOf('unaudited')).toMatchObject({ token: seen.token });
  });

  test('an applied action whose reply was lost is resolved once its process ended', async () => {
    const seen = await hold('unheard');
    const ctx = operator(killedEngines());
    const act = forceReleaseLock(ctx, { ...seen, reason: REASON });
    await expect(act).rejects.toMatchObject({ reason: 'UNKNOWN' });
    expect((await audit())[0]).toMatchObject({ outcome: 'pending', closedAt: null });
    await resolveAuditIntents(rig.runtime);
    expect((await audit())[0]).toMatchObject({ outcome: 'pending' });
    await rig.passForIntents();
    await resolveAuditIntents(rig.runtime);
    expect((await audit())[0]).toMatchObject({
      subject: 'unheard',
      outcome: 'done',
      result: { outcome: 'forced', token: seen.token },
    });
  });

  test('an applied action whose trace may have expired is resolved as unknown', async () => {
    const { database } = rig.runtime;
    const seen = await hold('unheard for long');
    const act = forceReleaseLock(operator(killedEngines()), { ...seen, reason: REASON });
    await expect(act).rejects.toMatchObject({ reason: 'UNKNOWN' });
    await database.db.delete(database.tables.lockRequests);
    await rig.passForIntents(ANSWER_RETENTION_MS);
    await resolveAuditIntents(rig.runtime);
    expect((await audit())[0]).toMatchObject({ subject: 'unheard for long', outcome: 'unknown' });
  });

  test('an action with a request id is resolved too, another under it as not applied', async () => {
    const seen = await hold('unheard by id');
    const ask = { ...seen, extendMs: 5_000, reason: REASON, requestId: 'r1' };
    for (const extendMs of [5_000, 9_000]) {
      const ctx = operator(killedEngines());
      await expect(extendLock(ctx, { ...ask, extendMs })).rejects.toThrow();
    }
    await rig.passForIntents();
    await resolveAuditIntents(rig.runtime);
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

  test('of two attempts with one request id applied once, one is resolved as done', async () => {
    const seen = await hold('unheard twice');
    const ask = { ...seen, extendMs: 5_000, reason: REASON, requestId: 'r1' };
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(extendLock(operator(killedEngines()), ask)).rejects.toThrow();
    }
    await rig.passForIntents();
    await resolveAuditIntents(rig.runtime);
    const entries = (await audit()).filter(({ subject }) => subject === 'unheard twice');
    expect(entries.map(({ outcome }) => outcome).sort()).toEqual(['done', 'not_applied']);
  });

  test('of attempts with one request id at the same instant, one is recorded as done', async () => {
    const seen = await hold('clicked twice');
    const ask = { ...seen, extendMs: 5_000, reason: REASON, requestId: 'r1' };
    const answers = await Promise.all([1, 2, 3].map(() => extendLock(operator(), ask)));
    expect(answers).toMatchObject(Array(3).fill({ outcome: 'extended' }));
    const entries = (await audit()).filter(({ subject }) => subject === 'clicked twice');
    const outcomes = entries.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['done', 'not_applied', 'not_applied']);
  });

  test('of attempts with one request id at two processes, one is recorded as done', async () => {
    const seen = await hold('clicked at two servers');
    const ask = { ...seen, extendMs: 5_000, reason: REASON, requestId: 'r1' };
    const unaware = () => operator(rig.enginesThat('rememberedAnswer', () => null));
    const { outcome, ...first } = await extendLock(unaware(), ask);
    expect(outcome).toBe('extended');
    expect(await extendLock(unaware(), ask)).toMatchObject({ outcome, rev: first.rev });
    const entries = (await audit()).filter(({ subject }) => subject === 'clicked at two servers');
    expect(entries.map((entry) => entry.outcome)).toEqual(['not_applied', 'done']);
  });

  test('an action that was never applied is resolved as not applied', async () => {
    const seen = await hold('undone');
    const stale = { ...seen, token: seen.token - 1 };
    const ctx = operator(killedEngines());
    await expect(extendLock(ctx, { ...stale, extendMs: 1_000, reason: REASON })).rejects.toThrow();
    await rig.passForIntents();
    await resolveAuditIntents(rig.runtime);
    expect((await audit())[0]).toMatchObject({ subject: 'undone', outcome: 'not_applied' });
  });

  test('an action of a user demoted or signed out after the check is not applied', async () => {
    const seen = { ...(await hold('out of reach')), reason: REASON };
    const { db, tables } = rig.runtime.database;
    const entry = async () => (await audit())[0];
    await db.update(tables.users).set({ role: 'viewer' }).where(eq(tables.users.id, 'operator'));
    await expect(forceReleaseLock(operator(), seen)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    expect(await entry()).toMatchObject({ subject: 'out of reach', outcome: 'refused' });
    await db.update(tables.users).set({ role: 'operator' }).where(eq(tables.users.id, 'operator'));
    const signedOut = rig.as({ ...userActor('operator'), sessionId: 'over' } as Actor);
    await expect(forceReleaseLock(signedOut, seen)).rejects.toMatchObject({
      reason: 'UNAUTHENTICATED',
    });
    expect(await entry()).toMatchObject({ subject: 'out of reach', outcome: 'refused' });
    expect(await holderOf('out of reach')).toMatchObject({ token: seen.token });
  });

  test('a namespace that does not exist is NOT_FOUND, and the audit entry is closed', async () => {
    const lost = { namespace: 'nowhere', name: 'x', token: 1, rev: 1, reason: REASON };
    await expect(forceReleaseLock(operator(), lost)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    expect((await audit())[0]).toMatchObject({
      outcome: 'failed',
      result: { reason: 'NOT_FOUND' },
    });
  });
});
