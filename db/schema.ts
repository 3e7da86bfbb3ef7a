import type { AuditEntry } from '../server/contract/console/audit-entry';
import type { LossKind } from '../server/contract/console/backend-health';
import type { Role } from '../server/contract/console/console-terms';
import { deadlocksTable } from './deadlocks';
import type { Kit } from './kits/mysql';
import { labRunsTable } from './lab-runs';
import { lockPresenceTable } from './lock-presence';
import { lockRefusalsTable } from './lock-refusals';
import { processEvidenceTable } from './process-evidence';
import { alertTables } from './recorded/alerts';
import { counterMinutesTable } from './recorded/counter-minutes';
import { incidentsTable } from './recorded/incidents';
import { lockEventsTable } from './recorded/lock-events';
import { lockHeatTable } from './recorded/lock-heat';
import { savedViewsTable } from './saved-views';

/** Constraint and column names are the same in both dialects and under MySQL's 64 characters. */
export const CASING = 'snake_case';

/** The tables, written once over a column kit. Instants are epoch milliseconds. */
export function defineSchema(kit: Kit) {
  const { table, index, uniqueIndex, primaryKey } = kit;

  /** One row for each lock: see `server/storage`. `id` is namespace, slash, name. */
  const locks = table(
    'locks',
    {
      id: kit.exact(265).primaryKey(),
      rev: kit.whole().notNull(),
      writer: kit.code(24).notNull(),
      head: kit.document().notNull(),
      queue: kit.document().notNull(),
      changedAt: kit.whole().notNull(),
      /** What a swap expects, for MySQL's upsert: `rev:writer`, two instants. Never stored. */
      seen: kit.code(48).notNull().default(''),
      past: kit.whole().notNull().default(0),
      ahead: kit.whole().notNull().default(0),
    },
    () => [],
  );

  /** Remembered answers by request id. */
  const lockRequests = table(
    'lock_requests',
    {
      id: kit.code(22).primaryKey(),
      inputHash: kit.code(22).notNull(),
      answer: kit.document().notNull(),
      expiresAt: kit.whole().notNull(),
      /** The record it was written with, with which it moves to another shard. Only on MySQL. */
      lockId: kit.exact(265),
    },
    (t) => [index('lock_requests_expires').on(t.expiresAt)],
  );

  /** One row per commit: the changes that it proposed, and the writers of those applied. */
  const lockHistory = table(
    'lock_history',
    {
      id: kit.serial(),
      at: kit.whole().notNull(),
      changes: kit.document().notNull(),
      took: kit.document().notNull(),
    },
    () => [],
  );

  /**
   * Roll-ups: what happened to a lock in one minute; with an empty `lockId`, to all locks of the
   * backend together. Histograms in the format of `LogHistogram`. Written by maintenance.
   */
  const lockMinutes = table(
    'lock_minutes',
    {
      backend: kit.code(32).notNull(),
      lockId: kit.exact(265).notNull(),
      minute: kit.whole().notNull(),
      grants: kit.count().notNull(),
      timeouts: kit.count().notNull(),
      expiries: kit.count().notNull(),
      forced: kit.count().notNull(),
      waits: kit.document().notNull(),
      holds: kit.document().notNull(),
    },
    (t) => [
      primaryKey({ name: 'lock_minutes_pk', columns: [t.backend, t.lockId, t.minute] }),
      index('lock_minutes_minute').on(t.minute),
    ],
  );

  /** How long the holds that ended in one week lasted: the source of a lock's own p99. */
  const lockWeeks = table(
    'lock_weeks',
    {
      backend: kit.code(32).notNull(),
      lockId: kit.exact(265).notNull(),
      week: kit.whole().notNull(),
      holds: kit.document().notNull(),
      /** The history position when this row was written: rises with every change of any row. */
      countedTo: kit.whole().notNull(),
    },
    (t) => [
      primaryKey({ name: 'lock_weeks_pk', columns: [t.backend, t.lockId, t.week] }),
      index('lock_weeks_counted').on(t.backend, t.countedTo),
      index('lock_weeks_week').on(t.week),
    ],
  );

  /** The positions up to which readers have read the history. */
  const cursors = table(
    'cursors',
    { id: kit.code(64).primaryKey(), position: kit.whole().notNull() },
    () => [],
  );

  const backends = table(
    'backends',
    {
      id: kit.code(32).primaryKey(),
      epoch: kit.count().notNull(),
      createdAt: kit.whole().notNull(),
      /** After a restore or data loss: no grants before this instant of the backend's clock. */
      grantsFrom: kit.whole(),
      /** The current store incarnation; null before the first. See `store-incarnation.ts`. */
      life: kit.code(24),
      /** The server run in which that incarnation was found complete; null during recovery. */
      runId: kit.code(64),
      /** The last heartbeat that was certainly in the store. */
      beat: kit.whole(),
      /** The replication history that this run continues; null where the store reports none. */
      replicationId: kit.code(64),
      /** 1 while all writes of that run were flushed and not copied; 0 for the rest of the run. */
      isDurable: kit.count(),
      /** The number of keys that run had evicted when the incarnation was found complete. */
      evictedKeys: kit.whole(),
      /** No hold was ever granted for longer. */
      longestLeaseMs: kit.whole(),
      /** The last data loss: when, on the backend's clock, and what was detected. */
      lossAt: kit.whole(),
      lossWhat: kit.code(24).$type<LossKind>(),
    },
    () => [],
  );

  const namespaces = table(
    'namespaces',
    {
      id: kit.exact(64).primaryKey(),
      backend: kit.code(32).notNull(),
      createdAt: kit.whole().notNull(),
      /** The policy as JSON; null for the default. */
      policy: kit.document(),
      /**
       * The limit that replaces the default `maxLocks` for a namespace that had more locks when
       * that limit was introduced; 0: it had not. Null: its names have not been counted since then.
       */
      grownMaxLocks: kit.whole(),
      /** Null while it exists. A removed one keeps its row: no other backend may have its name. */
      removedAt: kit.whole(),
    },
    () => [],
  );

  /** Facts about the whole installation: the secret's fingerprint, open setup links. */
  const settings = table(
    'settings',
    {
      id: kit.code(96).primaryKey(),
      value: kit.document().notNull(),
      changedAt: kit.whole().notNull(),
    },
    () => [],
  );

  const users = table(
    'users',
    {
      id: kit.code(24).primaryKey(),
      name: kit.exact(128).notNull(),
      role: kit.code(16).$type<Role>().notNull(),
      passwordHash: kit.document().notNull(),
      createdAt: kit.whole().notNull(),
      /** Null while the account is enabled. */
      disabledAt: kit.whole(),
    },
    (t) => [uniqueIndex('users_name').on(t.name)],
  );

  const sessions = table(
    'sessions',
    {
      /** SHA-256 of the cookie's value. */
      id: kit.code(64).primaryKey(),
      userId: kit.code(24).notNull(),
      createdAt: kit.whole().notNull(),
      seenAt: kit.whole().notNull(),
      expiresAt: kit.whole().notNull(),
      /** What the browser said it was at sign-in, see `browserName`; null: unknown. */
      browser: kit.code(64),
      /** From where the user signed in; null: unknown. */
      address: kit.code(64),
    },
    (t) => [index('sessions_user').on(t.userId)],
  );

  /** Failed sign-ins, see `sign-in-limits.ts`; stored here so that a restart forgets none. */
  const signInFailures = table(
    'sign_in_failures',
    {
      id: kit.code(64).primaryKey(),
      failures: kit.count().notNull(),
      windowStartedAt: kit.whole().notNull(),
    },
    () => [],
  );

  const apiKeys = table(
    'api_keys',
    {
      id: kit.code(24).primaryKey(),
      /** The service's name. Holds and waiters are recorded under it. */
      name: kit.exact(64).notNull(),
      /** A JSON list of namespaces; empty for the key of a witness. */
      namespaces: kit.document().notNull(),
      /** `service`, or `witness`: it may report on processes and do nothing else. */
      purpose: kit.code(8).notNull().default('service'),
      secretHash: kit.code(64).notNull(),
      createdBy: kit.document().notNull(),
      createdAt: kit.whole().notNull(),
      lastUsedAt: kit.whole(),
      revokedAt: kit.whole(),
      /** It is refused from then on; null: it does not expire. */
      expiresAt: kit.whole(),
      /** When `expiresAt` was last changed, other than by a rotation; null: never. */
      expirySetAt: kit.whole(),
      /** JSON: `KeyLimits`; null: none. Only keys of the limited form have any. */
      limits: kit.document(),
      /** The id of the key that replaced it by rotation; null: none. */
      replacedBy: kit.code(24),
    },
    () => [],
  );

  /** Who did what, when and why. Written before the action; the outcome is added after it. */
  const audit = table(
    'audit',
    {
      id: kit.serial(),
      /** The action's id, and the command's request id unless the caller sent one (in `seen`). */
      intent: kit.code(32).notNull(),
      at: kit.whole().notNull(),
      actor: kit.document().notNull(),
      actorKind: kit.code(16).$type<AuditEntry['actorKind']>().notNull(),
      address: kit.code(64).notNull(),
      act: kit.code(32).notNull(),
      namespace: kit.exact(64),
      subject: kit.exact(255).notNull(),
      reason: kit.document().notNull(),
      /** JSON: the state seen before the action, such as token and rev. */
      seen: kit.document().notNull(),
      outcome: kit.code(16).notNull(),
      /** JSON: the result of the action. */
      result: kit.document().notNull(),
      closedAt: kit.whole(),
    },
    (t) => [uniqueIndex('audit_intent').on(t.intent), index('audit_outcome').on(t.outcome, t.at)],
  );

  return {
    locks,
    lockRequests,
    lockHistory,
    lockEvents: lockEventsTable(kit),
    lockMinutes,
    lockWeeks,
    lockRefusals: lockRefusalsTable(kit),
    cursors,
    backends,
    namespaces,
    settings,
    users,
    sessions,
    signInFailures,
    apiKeys,
    audit,
    labRuns: labRunsTable(kit),
    savedViews: savedViewsTable(kit),
    deadlocks: deadlocksTable(kit),
    processEvidence: processEvidenceTable(kit),
    lockPresence: lockPresenceTable(kit),
    incidents: incidentsTable(kit),
    lockHeat: lockHeatTable(kit),
    counterMinutes: counterMinutesTable(kit),
    ...alertTables(kit),
  };
}

export type Schema = ReturnType<typeof defineSchema>;
