import { eq } from 'drizzle-orm';
import type { Database } from '@/db/database';
import { databaseFailure } from '@/db/database-failure';
import {
  DEFAULT_POLICY,
  MAX_LOCKS_MAX,
  type NamespacePolicy,
} from '../../contract/namespace-policy';
import type { Log } from '../../platform/log';
import { Periodic } from '../../platform/periodic';

/** Knows which backend keeps a namespace, and what it allows. */
export interface NamespaceDirectory {
  /**
   * Null: there is no such namespace. One made anywhere is seen at once. A namespace never moves,
   * so while the control database is away those that are known are still served; others reject with
   * `BACKEND_DOWN`.
   */
  get(name: string): Promise<NamespaceEntry | null>;
  /** What `get` would answer without asking; null where it would have to. */
  cached(name: string): NamespaceEntry | null;
  /** What a namespace allows, as last read; the default for one that is not known. */
  policyOf(name: string): NamespacePolicy;
  /**
   * Reads all of them again; rejects, and keeps what is known, while the control database is away.
   */
  refresh(): Promise<void>;
  /** Reads them periodically, so that a policy changed anywhere holds here within 2 s. */
  follow(log: Pick<Log, 'warn'>): Periodic;
}

export interface NamespaceEntry {
  name: string;
  backend: string;
}

const REFRESH_EVERY_MS = 1_000;

export function createNamespaceDirectory(from: { database: Database }): NamespaceDirectory {
  const { db, tables } = from.database;
  const { namespaces } = tables;
  const known = new Map<string, NamespaceEntry & { policy: NamespacePolicy }>();
  const asking = new Map<string, Promise<NamespaceEntry | null>>();

  const keep = (row: typeof namespaces.$inferSelect) => {
    const { id: name, backend } = row;
    known.set(name, { name, backend, policy: policyOfRow(row) });
    return { name, backend };
  };
  const ask = async (name: string) => {
    try {
      const [row] = await db.select().from(namespaces).where(eq(namespaces.id, name));
      return row ? keep(row) : null;
    } catch (error) {
      throw databaseFailure(error, 'no') ?? error;
    }
  };
  const refresh = async () => {
    for (const row of await db.select().from(namespaces)) keep(row);
  };
  return {
    cached: (name) => known.get(name) ?? null,
    async get(name) {
      const entry = known.get(name);
      if (entry) return entry;
      const asked = asking.get(name) ?? ask(name).finally(() => asking.delete(name));
      asking.set(name, asked);
      return asked;
    },
    policyOf: (name) => known.get(name)?.policy ?? DEFAULT_POLICY,
    refresh,
    follow(log) {
      const job = 'read namespaces and policies';
      return new Periodic({ job, everyMs: REFRESH_EVERY_MS, run: refresh, log }).start();
    },
  };
}

/**
 * What a namespace allows. What a version with fewer bounds stored has the default for the others.
 * Until its names have been counted for the first time it may have as many as there can be.
 */
export function policyOfRow({
  policy,
  grownMaxLocks,
}: {
  policy: string | null;
  grownMaxLocks: number | null;
}): NamespacePolicy {
  const own = policy === null ? {} : (JSON.parse(policy) as Partial<NamespacePolicy>);
  const maxLocks = Math.max(DEFAULT_POLICY.maxLocks, grownMaxLocks ?? MAX_LOCKS_MAX);
  return { ...DEFAULT_POLICY, maxLocks, ...own };
}
