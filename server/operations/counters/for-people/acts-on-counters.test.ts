import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import type { Actor } from '../../../auth/actor';
import { LockyardError } from '../../../contract/errors';
import { listAudit } from '../../audit/list-audit';
import { resolveAuditIntents } from '../../audit/resolve-audit-intents';
import type { OperationContext, Runtime } from '../../operation-context';
import { ActsRig, SERVICE } from '../../testing/acts-rig';
import { userActor } from '../../testing/test-runtime';
import { addToCounter, getCounter } from '../for-services';
import { adjustCounter } from './adjust-counter';
import { adjustCounterBy } from './adjust-counter-by';
import { getCounterDetail, listCounterMoves } from './counter-views';
import { createCounter } from './create-counter';
import { setCounterBounds } from './set-counter-bounds';

const reason = 'stock was counted';
const BOUNDS = { floor: 0, ceiling: 10 };

describe.each(TEST_DIALECTS)('actions on counters over %s', (dialect) => {
  let rig: ActsRig;
  beforeAll(async () => {
    rig = await ActsRig.open(dialect);
  });
  afterAll(() => rig.close());

  const as = (actor: Actor) => rig.as(actor);
  const operator = (over?: Partial<Runtime>) => rig.operator(over);
  const lastEntry = async () => (await listAudit(operator(), { limit: 1 })).rows[0];
  const refOf = (name: string) => ({ namespace: 'default', name });
  const standing = (name: string) => getCounter(as(SERVICE), refOf(name));

  async function made(name: string, initial = 5) {
    await createCounter(operator(), { ...refOf(name), initial, ...BOUNDS, reason });
    return { ...refOf(name), rev: (await standing(name)).rev };
  }

  test('a counter is created once, with a reason; the audit log says whether it was', async () => {
    const ref = refOf('made');
    const ask = { ...ref, initial: 5, ...BOUNDS, reason };
    expect(await createCounter(operator(), ask)).toEqual({ outcome: 'created' });
    const entry = { act: 'counter.create', subject: 'made', reason, seen: { initial: 5 } };
    expect(await lastEntry()).toMatchObject({ ...entry, outcome: 'done' });
    expect(await createCounter(operator(), ask)).toMatchObject({ outcome: 'exists', value: 5 });
    expect(await lastEntry()).toMatchObject({ ...entry, outcome: 'not_applied' });
  });

  test('the value that was seen is adjusted; one that has changed is not', async () => {
    const seen = await made('adjusted');
    const act = { ...seen, seenValue: 5, value: 9, reason };
    const answer = await adjustCounter(operator(), act);
    expect(answer).toMatchObject({ outcome: 'adjusted', value: 9, delta: 4 });
    expect(await lastEntry()).toMatchObject({
      act: 'counter.adjust',
      seen: { rev: seen.rev, value: 5, newValue: 9 },
      outcome: 'done',
      result: { outcome: 'adjusted' },
    });
    expect(await adjustCounter(operator(), act)).toMatchObject({ outcome: 'changed', value: 9 });
    expect(await lastEntry()).toMatchObject({ outcome: 'changed' });
    const beyond = { ...act, seenValue: 9, value: 11 };
    expect(await adjustCounter(operator(), beyond)).toMatchObject({ outcome: 'outOfBounds' });
    expect(await lastEntry()).toMatchObject({ outcome: 'not_applied' });
    expect(await standing('adjusted')).toMatchObject({ value: 9, ...BOUNDS });
  });

  test('a value is adjusted by a step or set, and audited with the old and new one', async () => {
    const { rev } = await made('busy');
    await addToCounter(as(SERVICE), { ...refOf('busy'), delta: 2 });
    const step = { ...refOf('busy'), rev, delta: -3, reason, requestId: 's1' };
    const answer = await adjustCounterBy(operator(), step);
    expect(answer).toMatchObject({ outcome: 'adjusted', was: 7, value: 4, delta: -3 });
    expect(await lastEntry()).toMatchObject({
      act: 'counter.adjustBy',
      seen: { rev, delta: -3 },
      outcome: 'done',
      result: { was: 7, value: 4, delta: -3 },
    });
    expect(await adjustCounterBy(operator(), step)).toEqual(answer);
    const beyond = { ...refOf('busy'), rev, delta: 7, reason };
    expect(await adjustCounterBy(operator(), beyond)).toMatchObject({
      outcome: 'outOfBounds',
      value: 4,
      ceiling: 10,
    });
    expect(await lastEntry()).toMatchObject({ outcome: 'not_applied' });
    const anyway = { ...refOf('busy'), rev, seenValue: null, value: 9, reason };
    expect(await adjustCounter(operator(), anyway)).toMatchObject({ was: 4, value: 9 });
    expect(await lastEntry()).toMatchObject({ seen: { newValue: 9 }, result: { was: 4 } });
    expect(await standing('busy')).toMatchObject({ value: 9 });
  });

  test('the bounds that were seen are changed, but never to exclude the value', async () => {
    const seen = await made('rebound');
    await addToCounter(as(SERVICE), { ...refOf('rebound'), delta: 1 });
    const act = { ...seen, seenBounds: BOUNDS, bounds: { floor: null, ceiling: 6 }, reason };
    expect(await setCounterBounds(operator(), act)).toMatchObject({ outcome: 'rebound', value: 6 });
    expect(await lastEntry()).toMatchObject({ act: 'counter.setBounds', outcome: 'done' });
    expect(await setCounterBounds(operator(), act)).toMatchObject({
      outcome: 'changed',
      ceiling: 6,
    });
    const past = { ...act, seenBounds: act.bounds, bounds: { floor: 7, ceiling: null } };
    expect(await setCounterBounds(operator(), past)).toMatchObject({ outcome: 'outOfBounds' });
    expect(await standing('rebound')).toMatchObject({ value: 6, floor: null, ceiling: 6 });
  });

  test('an action is applied once for its request id, and refused with another input', async () => {
    const message = 'Repeated: this request was applied before.';
    const repeated = { outcome: 'not_applied', result: { message } };
    const made = { ...refOf('repeated'), initial: 5, ...BOUNDS, reason, requestId: 'r1' };
    expect(await createCounter(operator(), made)).toEqual({ outcome: 'created' });
    expect(await lastEntry()).toMatchObject({ outcome: 'done' });
    expect(await createCounter(operator(), made)).toEqual({ outcome: 'created' });
    expect(await lastEntry()).toMatchObject(repeated);

    const { rev } = await standing('repeated');
    const act = { ...refOf('repeated'), rev, seenValue: 5, value: 9, reason, requestId: 'r1' };
    const first = await adjustCounter(operator(), act);
    expect(first).toMatchObject({ outcome: 'adjusted', value: 9 });
    await addToCounter(as(SERVICE), { ...refOf('repeated'), delta: -4 });
    expect(await adjustCounter(operator(), act)).toEqual(first);
    expect(await lastEntry()).toMatchObject(repeated);
    expect(await standing('repeated')).toMatchObject({ value: 5 });
    const other = adjustCounter(operator(), { ...act, value: 8 });
    await expect(other).rejects.toMatchObject({ reason: 'INVALID' });
    const another = await adjustCounter(operator(), { ...act, requestId: 'r2' });
    expect(another).toMatchObject({ outcome: 'adjusted', value: 9 });
    expect(await lastEntry()).toMatchObject({ outcome: 'done' });

    const bounds = { floor: null, ceiling: 20 };
    const wider = {
      ...refOf('repeated'),
      rev,
      seenBounds: BOUNDS,
      bounds,
      reason,
      requestId: 'r1',
    };
    const rebound = await setCounterBounds(operator(), wider);
    expect(rebound).toMatchObject({ outcome: 'rebound', ceiling: 20 });
    expect(await setCounterBounds(operator(), wider)).toEqual(rebound);
  });

  test('viewers only look, services may not use the console, attempts are audited', async () => {
    const seen = await made('kept');
    const acts: ((ctx: OperationContext) => Promise<unknown>)[] = [
      (ctx) => createCounter(ctx, { ...refOf('new'), initial: 0, reason }),
      (ctx) => adjustCounter(ctx, { ...seen, seenValue: 5, value: 6, reason }),
      (ctx) => adjustCounterBy(ctx, { ...seen, delta: 1, reason }),
      (ctx) => setCounterBounds(ctx, { ...seen, seenBounds: BOUNDS, bounds: BOUNDS, reason }),
    ];
    for (const act of acts) {
      await expect(act(as(userActor('viewer')))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
      expect(await lastEntry()).toMatchObject({ outcome: 'refused' });
      await expect(act(as(SERVICE))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    }
    const { row } = await getCounterDetail(as(userActor('viewer')), refOf('kept'));
    expect(row).toMatchObject({ value: 5, ...BOUNDS, isKnown: true });
    await expect(standing('new')).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  test('an action that was applied although its reply was lost is resolved as done', async () => {
    const seen = await made('unheard');
    const ctx = operator(
      rig.enginesThat('count', () => {
        throw new LockyardError('UNKNOWN', 'No answer.');
      }),
    );
    const tries = [
      () => adjustCounter(ctx, { ...seen, seenValue: 5, value: 8, reason }),
      () => adjustCounter(ctx, { ...seen, seenValue: 4, value: 9, reason }),
    ];
    for (const [i, attempt] of tries.entries()) {
      await expect(attempt()).rejects.toMatchObject({ reason: 'UNKNOWN' });
      expect(await lastEntry()).toMatchObject({ outcome: 'pending' });
      await rig.passForIntents();
      await resolveAuditIntents(rig.runtime);
      const outcome = i === 0 ? 'done' : 'not_applied';
      expect(await lastEntry()).toMatchObject({ subject: 'unheard', outcome });
    }
    expect(await standing('unheard')).toMatchObject({ value: 8 });
  });

  test('the history lists who, when, by how much and why, newest first, in pages', async () => {
    const seen = await made('moved often');
    await addToCounter(as(SERVICE), { ...refOf('moved often'), delta: -2 });
    await adjustCounter(operator(), { ...seen, seenValue: 3, value: 10, reason });
    const moves = async (before?: string) =>
      listCounterMoves(as(userActor('viewer')), {
        ...refOf('moved often'),
        limit: 2,
        ...(before !== undefined && { before }),
      });
    await expect
      .poll(async () => (await moves()).rows[0]?.kind, { timeout: 10_000 })
      .toBe('adjusted');
    const { rows, older } = await moves();
    expect(rows).toMatchObject([
      {
        kind: 'adjusted',
        value: 10,
        delta: 7,
        by: 'a operator',
        reason,
        service: '',
        bounds: null,
      },
      { kind: 'added', value: 3, delta: -2, by: null, service: 'orders' },
    ]);
    const rest = await moves(older ?? '');
    expect(rest).toMatchObject({
      rows: [{ kind: 'created', delta: null, bounds: BOUNDS }],
      older: null,
    });
  });
});
