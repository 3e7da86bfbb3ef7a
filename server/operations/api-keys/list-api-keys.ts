import { and, desc, eq, lt, or, type SQL } from 'drizzle-orm';
import type { Schema } from '@/db/schema';
import type { ApiKeyForm } from '../../auth/api-keys/api-key-text';
import { hasExpired, limitsOf, namespacesOf } from '../../auth/api-keys/stored-key';
import type { KeyListInput } from '../../contract/console/access-inputs';
import type { KeyVerb } from '../../contract/key-verbs';
import { askDatabase } from '../ask-database';
import type { ControlContext } from '../operation-context';
import { requireRole } from '../require-role';
import { formOf } from './stored-limits';

/** An API key as admins see it, without anything that could be used to call. */
export interface ApiKeyRow {
  id: string;
  /** The service. */
  name: string;
  namespaces: string[];
  /** The names that it may use begin with this; null: it may use all names. */
  prefix: string | null;
  /** What it may do; null: everything. */
  verbs: KeyVerb[] | null;
  /** `plain`: it cannot be given a prefix or verbs. */
  form: ApiKeyForm;
  /** Whether it can only report on processes. */
  isWitness: boolean;
  createdBy: string;
  createdAt: number;
  /** To the minute; null if never. */
  lastUsedAt: number | null;
  /** When it expires; null: it does not. */
  expiresAt: number | null;
  /** The id of the key that took its place; null: none. */
  replacedBy: string | null;
  /** Null while it works. */
  revokedAt: number | null;
  state: 'live' | 'expired' | 'revoked';
}

interface ApiKeyPage {
  rows: ApiKeyRow[];
  /** What to pass as `before` for the next, older page; null at the end. */
  older: string | null;
}

/** A page of the API keys, newest first. */
export async function listApiKeys(ctx: ControlContext, input: KeyListInput): Promise<ApiKeyPage> {
  await requireRole(ctx, 'admin');
  const { database, clock } = ctx.runtime;
  const { apiKeys } = database.tables;
  const found = await askDatabase(() =>
    database.db
      .select()
      .from(apiKeys)
      .where(input.before === undefined ? undefined : olderThan(apiKeys, input.before))
      .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
      .limit(input.limit + 1),
  );
  const now = clock.now();
  const rows = found.slice(0, input.limit).map((row) => toRow(row, now));
  const last = rows.at(-1);
  const older = last && found.length > input.limit ? `${last.createdAt}.${last.id}` : null;
  return { rows, older };
}

const PAGE_OF_ALL = 500;

/** Every API key, newest first, read page by page. */
export async function listAllApiKeys(ctx: ControlContext): Promise<ApiKeyRow[]> {
  const all: ApiKeyRow[] = [];
  let before: string | undefined;
  for (;;) {
    const { rows, older } = await listApiKeys(ctx, { before, limit: PAGE_OF_ALL });
    all.push(...rows);
    if (older === null) return all;
    before = older;
  }
}

function olderThan(apiKeys: Schema['apiKeys'], before: string): SQL | undefined {
  const mark = before.indexOf('.');
  const createdAt = Number(before.slice(0, mark));
  const isSameInstant = eq(apiKeys.createdAt, createdAt);
  return or(
    lt(apiKeys.createdAt, createdAt),
    and(isSameInstant, lt(apiKeys.id, before.slice(mark + 1))),
  );
}

function toRow(stored: Schema['apiKeys']['$inferSelect'], now: number): ApiKeyRow {
  const { secretHash: _, expirySetAt: __, namespaces, purpose, limits, ...row } = stored;
  const { prefix = null, verbs = null } = limitsOf(limits);
  const whatElse = row.revokedAt === null ? 'live' : 'revoked';
  return {
    ...row,
    isWitness: purpose === 'witness',
    namespaces: namespacesOf(namespaces),
    prefix,
    verbs,
    form: formOf(limits),
    state: hasExpired(row, now) ? 'expired' : whatElse,
  };
}
