import { eq, isNull } from 'drizzle-orm';
import type { Database } from '@/db/database';
import type { Schema } from '@/db/schema';
import {
  DEFAULT_POLICY,
  MAX_LOCKS_MAX,
  type NamespacePolicy,
} from '../../contract/namespace-policy';
import type { Log } from '../../platform/log';
import { Periodic } from '../../platform/periodic';
import { askDatabase } from '../ask-database';

export interface NamespaceEntry {
  name: string;
  backend: string;
}

const REFRESH_EVERY_MS = 1_000;

interface KnownNamespace extends NamespaceEntry {
  policy: NamespacePolicy;
  /** The number of the reading that found it last. */
  foundBy: number;
}

/** Knows which backend keeps a namespace, and what it allows. */
export class NamespaceDirectory {
  private readonly known = new Map<string, KnownNamespace>();
  private readonly queries = new Map<string, Promise<NamespaceEntry | null>>();
  /** How many readings have begun, and the number of the latest full one that has ended. */
  private begun = 0;
  private ended = 0;

  constructor(private readonly database: Database) {}

  /**
   * Null: there is no such namespace. One created by any process is seen immediately. A namespace
   * never moves, so known ones are still served while the control database is not responding;
   * others reject with `BACKEND_DOWN`.
   */
  async get(name: string): Promise<NamespaceEntry | null> {
    const entry = this.known.get(name);
    if (entry) return entry;
    const query =
      this.queries.get(name) ?? this.query(name).finally(() => this.queries.delete(name));
    this.queries.set(name, query);
    return query;
  }

  /** The backend of a namespace, even of one that was removed; null: it never existed. */
  async keeperOf(name: string): Promise<string | null> {
    const entry = this.known.get(name);
    return entry ? entry.backend : ((await this.read(name))?.backend ?? null);
  }

  /** What `get` would return without a query; null if it would need one. */
  cached(name: string): NamespaceEntry | null {
    return this.known.get(name) ?? null;
  }

  /** What a namespace allows, as last read; the default for an unknown one. */
  policyOf(name: string): NamespacePolicy {
    return this.known.get(name)?.policy ?? DEFAULT_POLICY;
  }

  /** All namespaces, as last read, the oldest first. */
  all(): Iterable<NamespaceEntry> {
    return this.known.values();
  }

  /**
   * Reads all namespaces again, without the rows of removed ones, which are kept for ever; rejects,
   * and keeps what is known, while the database is down.
   */
  async refresh(): Promise<void> {
    this.begun += 1;
    const own = this.begun;
    const { db, tables } = this.database;
    const { namespaces } = tables;
    const rows = await db.select().from(namespaces).where(isNull(namespaces.removedAt));
    // A later reading has ended already; this older one must not overwrite it.
    if (own < this.ended) return;
    this.ended = own;
    for (const row of rows.sort(byAge)) this.store(row, own);
    for (const [name, { foundBy }] of this.known) if (foundBy < own) this.known.delete(name);
  }

  /** Refreshes periodically, so that a policy changed by any process applies here within 2 s. */
  follow(log: Pick<Log, 'warn'>): Periodic {
    return new Periodic({
      job: 'read namespaces and policies',
      everyMs: REFRESH_EVERY_MS,
      run: () => this.refresh(),
      log,
    }).start();
  }

  private async query(name: string): Promise<NamespaceEntry | null> {
    this.begun += 1;
    const own = this.begun;
    const row = await this.read(name);
    const later = own < this.ended ? this.cached(name) : null;
    if (later) return later;
    return row && row.removedAt === null ? this.store(row, own) : null;
  }

  private async read(name: string): Promise<Row | undefined> {
    const { db, tables } = this.database;
    const { namespaces } = tables;
    const [row] = await askDatabase(() =>
      db.select().from(namespaces).where(eq(namespaces.id, name)),
    );
    return row;
  }

  private store(row: Row, foundBy: number): NamespaceEntry {
    const { id: name, backend } = row;
    this.known.set(name, { name, backend, policy: policyOfRow(row), foundBy });
    return { name, backend };
  }
}

type Row = Schema['namespaces']['$inferSelect'];

const byAge = (a: Row, b: Row) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

/**
 * What a namespace allows. Bounds that an earlier version did not store have their defaults. Until
 * its names have been counted for the first time, it may have as many as any policy can allow.
 */
export function policyOfRow({
  policy,
  grownMaxLocks,
}: {
  policy: string | null;
  grownMaxLocks: number | null;
}): NamespacePolicy {
  const maxLocks = Math.max(DEFAULT_POLICY.maxLocks, grownMaxLocks ?? MAX_LOCKS_MAX);
  return { ...DEFAULT_POLICY, maxLocks, ...ownPolicyOf(policy) };
}

/** The bounds that are stored for a namespace; null: it has the default. */
export const ownPolicyOf = (stored: string | null): Partial<NamespacePolicy> | null =>
  stored === null ? null : JSON.parse(stored);
