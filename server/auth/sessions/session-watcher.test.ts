import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openTestRuntime, type TestRuntime } from '../../operations/testing/test-runtime';
import type { UserActor } from '../actor';
import { SESSION_MAX_MS, SESSION_STALE_MAX_MS } from './session-limits';
import { SessionManager } from './session-manager';
import type { SessionWatch } from './session-watcher';

const POLL_MS = 500;
const PEOPLE = 40;

let runtime: TestRuntime;
let actors: UserActor[];

beforeAll(async () => {
  runtime = await openTestRuntime('sqlite');
  const { db, tables } = runtime.database;
  const now = runtime.clock.now();
  actors = Array.from({ length: PEOPLE }, (_, i) => ({
    kind: 'user',
    userId: `u${i}`,
    name: `person ${i}`,
    role: 'viewer',
    sessionId: `s${i}`,
    stale: false,
  }));
  for (const { userId: id, name, role, sessionId } of actors) {
    const user = { id, name, role, passwordHash: '', createdAt: now, disabledAt: null };
    await db.insert(tables.users).values(user);
    const session = { id: sessionId, userId: id, createdAt: now, seenAt: now };
    await db.insert(tables.sessions).values({ ...session, expiresAt: now + SESSION_MAX_MS });
  }
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => runtime.close());

/** Waits for the next poll and its answers. */
async function poll(): Promise<void> {
  vi.advanceTimersByTime(POLL_MS);
  for (let turn = 0; turn < 20; turn++) await flush();
}

/** Lets everything continue that waits for what was written. */
async function flush(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await runtime.database.sqlite?.flushed();
}

/** Polls until it is stored that a session is in use now. A poll may be late, and skip the next. */
async function pollUntilSeen(id: string, { signal }: SessionWatch): Promise<void> {
  const { db, tables } = runtime.database;
  const { sessions } = tables;
  for (let seenAt: number | undefined; seenAt !== runtime.clock.now() && !signal.aborted; ) {
    await poll();
    const rows = await db.select().from(sessions).where(eq(sessions.id, id));
    seenAt = rows[0]?.seenAt;
  }
}

test('all streams together cost one query every half second; without streams, none', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { database } = runtime;
  let questions = 0;
  const db = new Proxy(database.db, {
    get(target, property) {
      if (property === 'select') questions++;
      return Reflect.get(target, property) as unknown;
    },
  });
  const counting = Object.create(database, { db: { value: db } });
  const keeper = new SessionManager({ ...runtime, database: counting });
  const watches = [...actors, ...actors, ...actors].map((actor) => keeper.watch(actor));
  await poll();
  expect(questions).toBe(1);
  await poll();
  expect(questions).toBe(2);

  const { users, sessions } = database.tables;
  const set = database.db.update(users);
  await set.set({ disabledAt: 1 }).where(eq(users.id, 'u3'));
  await database.db.delete(sessions).where(eq(sessions.id, 's5'));
  await poll();
  const ended = watches.flatMap(({ signal }, at) => (signal.aborted ? [at % PEOPLE] : []));
  expect(ended).toEqual([3, 5, 3, 5, 3, 5]);

  for (const watch of watches) watch.close();
  await poll();
  expect(questions).toBe(3);
});

test('an open page keeps its session in use, for twelve hours and no longer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const [actor] = actors;
  if (!actor) throw new Error('There is no user.');
  const watch = runtime.sessions.watch(actor);
  // So short that a poll which is still under way at the next step is not given up as unanswered.
  const stepMs = SESSION_STALE_MAX_MS / 3;
  let passedMs = 0;
  for (; passedMs + stepMs < SESSION_MAX_MS; passedMs += stepMs) {
    runtime.clock.pass(stepMs);
    await pollUntilSeen(actor.sessionId, watch);
    expect(watch.signal.aborted).toBe(false);
  }
  runtime.clock.pass(SESSION_MAX_MS - passedMs);
  while (!watch.signal.aborted) await poll();
  expect(watch.signal.reason).toMatchObject({ reason: 'UNAUTHENTICATED' });
  watch.close();
});
