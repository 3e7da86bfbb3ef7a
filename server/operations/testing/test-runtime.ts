import { pino } from 'pino';
import type { Database } from '@/db/database';
import { openTestDatabase, type TestDialect } from '@/db/testing/test-database';
import type { Actor, UserActor } from '../../auth/actor';
import { ApiKeyVerifier } from '../../auth/api-keys/api-key-verifier';
import { SessionManager } from '../../auth/sessions/session-manager';
import { readConfig } from '../../bootstrap/config/config';
import { ROLES } from '../../contract/console/console-terms';
import { TestClock } from '../../platform/testing/test-clock';
import { RefusedActs } from '../audit/refused-acts';
import { ensureDefaultNamespace } from '../namespaces/create-namespace';
import { NamespaceDirectory } from '../namespaces/namespace-directory';
import type { ControlContext, ControlRuntime } from '../operation-context';

/** Everything but backends, over a real database and a clock that is moved by hand. */
export interface TestRuntime extends ControlRuntime {
  clock: TestClock;
  /** Another process over the same database: its caches are its own. */
  anotherProcess(): ControlRuntime;
  close(): Promise<void>;
}

export async function openTestRuntime(
  dialect: TestDialect,
  env: Record<string, string> = {},
): Promise<TestRuntime> {
  const database = await openTestDatabase(dialect);
  const clock = new TestClock();
  const secret = 'the secret of a test, long enough';
  const base = { config: readConfig(env), clock, log: pino({ level: 'silent' }), database, secret };
  const verifiers: ApiKeyVerifier[] = [];
  const process = () => {
    const apiKeys = new ApiKeyVerifier(base);
    verifiers.push(apiKeys);
    return {
      ...base,
      apiKeys,
      namespaces: new NamespaceDirectory(base.database),
      sessions: new SessionManager(base),
      refusedActs: new RefusedActs(base, base.config.limits.refusalsSeconds * 1_000),
    };
  };
  await ensureDefaultNamespace(database, clock);
  const runtime = process();
  return {
    ...runtime,
    anotherProcess: process,
    async close() {
      await Promise.all(verifiers.map((each) => each.close()));
      await database.close();
    },
  };
}

export function contextOf(
  runtime: ControlRuntime,
  actor: Actor | null,
  address = '192.0.2.1',
): ControlContext {
  return { runtime, actor, address, requestId: 'test' };
}

export const COMMAND_LINE: Actor = { kind: 'cli' };

/** A signed-in user, without rows in the database unless `insertUserActors` wrote them. */
export function userActor(role: UserActor['role'], stale = false): UserActor {
  const sessionId = `session of ${role}`;
  return { kind: 'user', userId: role, name: `a ${role}`, role, sessionId, stale };
}

const FAR_AHEAD = 9_999_999_999_999;

/** Inserts the rows of every `userActor`, which are read by acts that change something. */
export async function insertUserActors(database: Database): Promise<void> {
  for (const role of ROLES) await insertUserActor(database, userActor(role));
}

/** Inserts the rows of one signed-in user. */
export async function insertUserActor(
  { db, tables }: Database,
  { userId, name, role, sessionId }: UserActor,
): Promise<void> {
  const user = { id: userId, name, role, passwordHash: 'none', createdAt: 0, disabledAt: null };
  await db.insert(tables.users).values(user);
  const session = { id: sessionId, userId, createdAt: 0, seenAt: FAR_AHEAD, expiresAt: FAR_AHEAD };
  await db.insert(tables.sessions).values(session);
}
