import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE_MS } from '../../core/time-units';
import { signIn } from '../../operations/sessions/sign-in';
import {
  COMMAND_LINE,
  contextOf,
  openTestRuntime,
  type TestRuntime,
} from '../../operations/testing/test-runtime';
import { createUser } from '../../operations/users/create-user';
import { SessionManager } from './session-manager';

const PASSWORD = 'seven green kites over Oslo';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await openTestRuntime('sqlite');
});
afterAll(() => runtime.close());

/** A manager whose database refuses queries, or lets deletions wait for ever, and its clock. */
function managerWith(fate: { isAway: boolean; isSilent?: boolean; setMs?: number }) {
  const db = new Proxy(runtime.database.db, {
    get(target, property) {
      if (fate.isSilent && property === 'delete') {
        return () => ({ where: () => new Promise(() => undefined) });
      }
      if (fate.isAway) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      return Reflect.get(target, property) as unknown;
    },
  });
  return new SessionManager({
    ...runtime,
    database: Object.create(runtime.database, { db: { value: db } }),
    clock: clockSetBy(() => fate.setMs ?? 0),
  });
}

/** The clock of the runtime, set by some milliseconds. */
function clockSetBy(setMs: () => number) {
  const { clock } = runtime;
  return { now: () => clock.now() + setMs(), monotonic: () => clock.monotonic() };
}

test('while the database does not respond, only a recently verified session may read', async () => {
  const person = { name: 'ana', role: 'operator' as const, password: PASSWORD };
  await createUser(contextOf(runtime, COMMAND_LINE), person);
  const enter = async () => (await signIn(contextOf(runtime, null), person)).session.value;
  const [known, unknown] = [await enter(), await enter()];

  const fate = { isAway: false };
  const keeper = managerWith(fate);
  expect(await keeper.resolve(known)).toMatchObject({ name: 'ana', stale: false });

  fate.isAway = true;
  runtime.clock.pass(14 * MINUTE_MS);
  for (let request = 0; request < 3; request++) {
    expect(await keeper.resolve(known)).toMatchObject({ name: 'ana', stale: true });
  }
  await expect(keeper.resolve(unknown)).rejects.toMatchObject({ reason: 'BACKEND_DOWN' });
  runtime.clock.pass(MINUTE_MS);
  await expect(keeper.resolve(known)).rejects.toMatchObject({ reason: 'BACKEND_DOWN' });

  fate.isAway = false;
  expect(await keeper.resolve(known)).toMatchObject({ name: 'ana', stale: false });
});

test('no caller waits for a silent database because the clock was set back', async () => {
  const person = { name: 'cleo', role: 'operator' as const, password: PASSWORD };
  await createUser(contextOf(runtime, COMMAND_LINE), person);
  const { value } = (await signIn(contextOf(runtime, null), person)).session;
  const fate = { isAway: false, isSilent: false, setMs: 0 };
  const keeper = managerWith(fate);
  expect(await keeper.resolve(value)).toMatchObject({ stale: false });
  Object.assign(fate, { isAway: true, isSilent: true });
  runtime.clock.pass(2_000);
  expect(await keeper.resolve(value)).toMatchObject({ stale: true });
  fate.setMs = -1_000;
  const late = new Promise((resolve) => setTimeout(resolve, 5_000, 'late').unref());
  for (let request = 0; request < 3; request++) {
    expect(await Promise.race([keeper.resolve(value), late])).toMatchObject({ stale: true });
  }
});

test('an ended session stays ended for every process, even if the clock is set back', async () => {
  const person = { name: 'ben', role: 'operator' as const, password: PASSWORD };
  await createUser(contextOf(runtime, COMMAND_LINE), person);
  const enter = async () => (await signIn(contextOf(runtime, null), person)).session.value;
  let setMs = 0;
  const clock = clockSetBy(() => setMs);
  const [one, other] = [0, 1].map(() => new SessionManager({ ...runtime, clock }));
  if (!one || !other) throw new Error('There are two.');
  const [asked, unasked] = [await enter(), await enter()];
  expect(await one.resolve(unasked)).toMatchObject({ name: 'ben' });
  runtime.clock.pass(31 * MINUTE_MS);
  expect(await one.resolve(asked)).toBe(null);

  setMs = -60 * MINUTE_MS;
  const begun = await enter();
  for (const keeper of [one, other]) {
    expect(await keeper.resolve(asked)).toBe(null);
    expect(await keeper.resolve(unasked)).toBe(null);
    expect(await keeper.resolve(begun)).toMatchObject({ name: 'ben' });
  }
});
