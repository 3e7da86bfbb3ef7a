import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import type { LockEngine } from '../../../engine/lock-engine';
import { acquire, release } from '../../../engine/testing/engine-rig';
import { LockPresence } from '../../../monitoring/presence/lock-presence';
import { listAudit } from '../../audit/list-audit';
import { ActsRig } from '../../testing/acts-rig';
import { userActor } from '../../testing/test-runtime';
import { listLockPresence, stepBackFromLock, takeOnLock } from './take-on-lock';

describe.each(TEST_DIALECTS)('presence on a lock over %s', (dialect) => {
  let rig: ActsRig;
  beforeAll(async () => {
    rig = await ActsRig.open(dialect);
  });
  afterAll(() => rig.close());

  const refOf = (name: string) => ({ namespace: 'default', name });
  const viewer = () => rig.as(userActor('viewer'));
  const admin = () => rig.as(userActor('admin'));
  const onIt = async (name: string) =>
    (await listLockPresence(viewer())).find((row) => row.name === name)?.actor ?? null;

  test('is one user at a time, at every process, with both ends in the audit log', async () => {
    const ref = refOf('watched');
    await takeOnLock(rig.operator(), { ...ref, token: null });
    expect(await onIt('watched')).toBe('a operator');
    const { database, clock, projection } = rig.runtime;
    const elsewhere = new LockPresence(database, clock, projection);
    expect(await elsewhere.list()).toMatchObject([{ ...ref, actor: 'a operator' }]);
    expect(await takeOnLock(admin(), { ...ref, token: null })).toMatchObject({
      outcome: 'onIt',
      before: 'a operator',
    });
    expect(await onIt('watched')).toBe('a admin');
    expect(await stepBackFromLock(rig.operator(), ref)).toEqual({ outcome: 'nothing' });
    expect(await stepBackFromLock(admin(), ref)).toEqual({ outcome: 'steppedBack' });
    expect(await onIt('watched')).toBeNull();
    const { rows } = await listAudit(admin(), { limit: 4 });
    expect(rows.map(({ act, outcome }) => [act, outcome])).toEqual([
      ['lock.stepBack', 'done'],
      ['lock.stepBack', 'not_applied'],
      ['lock.takeOn', 'done'],
      ['lock.takeOn', 'done'],
    ]);
    await expect(takeOnLock(viewer(), { ...ref, token: null })).rejects.toMatchObject({
      reason: 'FORBIDDEN',
    });
    const nowhere = { namespace: 'nowhere', name: 'x', token: null };
    await expect(takeOnLock(admin(), nowhere)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  test('ends with the hold that was seen', async () => {
    const engine = rig.runtime.engines.get('default') as LockEngine;
    const held = await acquire({ engine }, refOf('held'), 'w1', { leaseMs: 60_000 });
    if (held.outcome !== 'granted') throw new Error(held.outcome);
    const { projection } = rig.runtime;
    const holder = () => projection.row('default', 'held')?.hold?.owner;
    await expect.poll(holder, { timeout: 10_000 }).toBe('w1');
    await takeOnLock(rig.operator(), { ...refOf('held'), token: held.token });
    expect(await onIt('held')).toBe('a operator');
    await release({ engine }, refOf('held'), 'w1', held.token);
    await expect.poll(() => onIt('held'), { timeout: 10_000 }).toBeNull();
    const next = await takeOnLock(admin(), { ...refOf('held'), token: null });
    expect(next).toMatchObject({ outcome: 'onIt', before: null });
    await stepBackFromLock(admin(), refOf('held'));
  });

  test('of a shared lock ends with the hold that was seen, although others continue', async () => {
    const engine = rig.runtime.engines.get('default') as LockEngine;
    const take = async (owner: string) => {
      const wanted = { leaseMs: 60_000, mode: 'shared' } as const;
      const held = await acquire({ engine }, refOf('shared'), owner, wanted);
      if (held.outcome !== 'granted') throw new Error(held.outcome);
      return held.token;
    };
    const tokens = [await take('reader-1'), await take('reader-2')] as const;
    const holders = () => rig.runtime.projection.row('default', 'shared')?.holders;
    await expect.poll(holders, { timeout: 10_000 }).toBe(2);
    await takeOnLock(rig.operator(), { ...refOf('shared'), token: tokens[0] });
    await release({ engine }, refOf('shared'), 'reader-2', tokens[1]);
    await expect.poll(holders, { timeout: 10_000 }).toBe(1);
    expect(await onIt('shared')).toBe('a operator');
    await take('reader-3');
    await release({ engine }, refOf('shared'), 'reader-1', tokens[0]);
    await expect.poll(() => onIt('shared'), { timeout: 10_000 }).toBeNull();
  });

  test('ends automatically after 30 minutes', async () => {
    await takeOnLock(rig.operator(), { ...refOf('forgotten'), token: null });
    const { database, clock, projection } = rig.runtime;
    let laterMs = 30 * 60_000 - 5_000;
    const now = () => clock.now() + laterMs;
    const later = new LockPresence(database, { ...clock, now, monotonic: now }, projection);
    expect(await later.list()).toHaveLength(1);
    laterMs = 30 * 60_000;
    expect(await later.list()).toEqual([]);
  });

  test('has ended if the clock was set back since by more than a minute', async () => {
    const ref = refOf('earlier');
    const actor = 'an earlier user';
    const { database, clock, projection } = rig.runtime;
    let aheadMs = 0;
    const now = () => clock.now() + aheadMs;
    const presence = new LockPresence(database, { ...clock, now, monotonic: now }, projection);
    const put = () => database.transaction((tx) => presence.put(tx, ref, { actor, token: null }));
    aheadMs = 3_600_000;
    await put();
    const readBy = () => new LockPresence(database, clock, projection).list();
    const isOnIt = async () => (await readBy()).some((row) => row.actor === actor);
    expect(await isOnIt()).toBe(false);
    expect(await takeOnLock(admin(), { ...ref, token: null })).toMatchObject({ before: null });
    aheadMs = 30_000;
    await put();
    expect(await isOnIt()).toBe(true);
    expect(await takeOnLock(admin(), { ...ref, token: null })).toMatchObject({ before: actor });
    await stepBackFromLock(admin(), ref);
  });

  test('answers two simultaneous users, and one of them is on it', async () => {
    const ref = { ...refOf('contested'), token: null };
    const tries = Array.from({ length: 8 }, (_, i) =>
      takeOnLock(i % 2 ? admin() : rig.operator(), ref),
    );
    for (const answer of await Promise.all(tries)) expect(answer.outcome).toBe('onIt');
    expect(await onIt('contested')).toMatch(/^a (operator|admin)$/);
  });
});
