import { desc } from 'drizzle-orm';
import type { ApiKeyForm } from '../../auth/api-keys/api-key-text';
import type { KeyVerb } from '../../contract/key-verbs';
import { askDatabase } from '../ask-database';
import type { ControlContext } from '../operation-context';
import { requireRole } from '../require-role';
import { formOf, limitsOf } from './stored-limits';

/** An API key as admins see it: nothing of it can be used. */
export interface ApiKeyRow {
  id: string;
  /** The service. */
  name: string;
  namespaces: string[];
  /** The names that it may use begin with this; null: all names. */
  prefix: string | null;
  /** What it may do; null: everything. */
  verbs: KeyVerb[] | null;
  /** `plain`: it can get neither a prefix nor verbs. */
  form: ApiKeyForm;
  /** It can only report on processes. */
  isWitness: boolean;
  createdBy: string;
  createdAt: number;
  /** To the minute; null if never. */
  lastUsedAt: number | null;
  /** It is refused from then on; null: it does not expire. */
  expiresAt: number | null;
  /** The id of the key that took its place; null: none. */
  replacedBy: string | null;
  /** Null while it works. */
  revokedAt: number | null;
  state: 'live' | 'expired' | 'revoked';
}

/** Every API key, newest first. */
export async function listApiKeys(ctx: ControlContext): Promise<ApiKeyRow[]> {
  await requireRole(ctx, 'admin');
  const { database, clock } = ctx.runtime;
  const { apiKeys } = database.tables;
  const rows = await askDatabase(() =>
    database.db.select().from(apiKeys).orderBy(desc(apiKeys.createdAt), desc(apiKeys.id)),
  );
  const now = clock.now();
  return rows.map(({ secretHash: _, namespaces, purpose, limits, ...row }) => {
    const { prefix = null, verbs = null } = limitsOf(limits);
    const isExpired = row.expiresAt !== null && row.expiresAt <= (row.revokedAt ?? now);
    const whatElse = row.revokedAt === null ? 'live' : 'revoked';
    return {
      ...row,
      isWitness: purpose === 'witness',
      namespaces: JSON.parse(namespaces) as string[],
      prefix,
      verbs,
      form: formOf(limits),
      state: isExpired ? 'expired' : whatElse,
    };
  });
}
