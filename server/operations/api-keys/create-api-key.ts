import { and, eq, gt, isNull, or, type SQL } from 'drizzle-orm';
import type { Database, Db } from '@/db/database';
import { type ApiKeyText, newApiKey, parseApiKey } from '../../auth/api-keys/api-key-text';
import type { CreateKeyInput } from '../../contract/console/access-inputs';
import { LockyardError } from '../../contract/errors';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import { permit } from '../audit/permit';
import type { ControlContext } from '../operation-context';
import { requireNamespaces } from './require-namespaces';
import { expiryOf, formOf, limitsOf, storedLimits } from './stored-limits';

/** A key that was made, and its secret. */
export interface CreatedKey {
  id: string;
  /** The whole text: shown this once. */
  key: string;
  /** Null: never. */
  expiresAt: number | null;
}

/**
 * Makes an API key for one service and some namespaces, or for a witness, which can do nothing
 * but report on processes. `key` is shown this once: only a hash of it
 * is kept. Several keys of one name are one service, so that a key can be replaced without a pause.
 * One with a prefix, verbs or an expiry has a form that versions without these refuse.
 *
 * @param how `given`: the whole key, where it was made before; `isOnly`: no other key of this name
 *   may be in use, also of two that are made so at the same time
 * @throws LockyardError `NOT_FOUND` for a namespace that does not exist; `INVALID` for an expiry
 *   that is over, or a key of another form; `CONFLICT` for a given key that there is already, or
 *   another one in use
 */
export async function createApiKey(
  ctx: ControlContext,
  input: CreateKeyInput,
  { given = null, isOnly = false }: { given?: string | null; isOnly?: boolean } = {},
): Promise<CreatedKey> {
  const { name, namespaces, witness, prefix, verbs } = input;
  const { database, clock } = ctx.runtime;
  const expiresAt = expiryOf(input, clock.now()) ?? null;
  const limits = storedLimits({ prefix, verbs }, expiresAt);
  const { id, secretHash, key } =
    given === null ? newApiKey(formOf(limits)) : parseGivenKey(given, limits);
  const seen = {
    ...(witness ? { witness } : { namespaces }),
    ...limitsOf(limits),
    ...(expiresAt !== null && { expiresAt }),
  };
  const what = { act: 'key.create', subject: name, seen } as const;
  const who = await permit(ctx, 'admin', what);
  return auditedDatabaseChange(ctx, who, what, async (tx) => {
    if (isOnly) await requireOnlyKey(database, tx, name, clock.now());
    await requireNamespaces(database, tx, namespaces);
    const row = {
      id,
      name,
      namespaces: JSON.stringify(namespaces),
      purpose: witness ? 'witness' : 'service',
      secretHash,
      createdBy: who.name,
      createdAt: clock.now(),
      lastUsedAt: null,
      revokedAt: null,
      expiresAt,
      limits,
      replacedBy: null,
    };
    try {
      await tx.insert(database.tables.apiKeys).values(row);
    } catch (error) {
      if (!database.isDuplicateKey(error)) throw error;
      throw new LockyardError('CONFLICT', `There is an API key ${id} already.`);
    }
    return { answer: { id, key, expiresAt }, result: { id } };
  });
}

/** Refuses a name with a key in use. Transactions that make an only key take turns here. */
async function requireOnlyKey(database: Database, tx: Db, name: string, now: number) {
  const { apiKeys } = database.tables;
  // One row that is always there, and that all of them lock.
  await requireNamespaces(database, tx, ['default']);
  const isInUse = and(
    eq(apiKeys.name, name),
    isNull(apiKeys.revokedAt),
    isNull(apiKeys.replacedBy),
    or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
  ) as SQL;
  const [other] = await tx.select({ id: apiKeys.id }).from(apiKeys).where(isInUse);
  if (!other) return;
  throw new LockyardError('CONFLICT', `There is an API key of ${name} by now: ${other.id}.`);
}

/**
 * The parts of a key that was made before.
 *
 * @param limits as a row keeps them
 * @throws LockyardError `INVALID` for one whose form is not that of a key with these limits
 */
export function parseGivenKey(key: string, limits: string | null): ApiKeyText & { key: string } {
  const parsed = parseApiKey(key);
  const form = formOf(limits);
  if (parsed?.form === form) return { ...parsed, key };
  const how = form === 'limited' ? 'keys generate --limited' : 'keys generate';
  const limited = form === 'limited' ? 'limits or an expiry' : 'neither limits nor an expiry';
  const text = `The given key has another form: one with ${limited} is made with: ${how}`;
  throw new LockyardError('INVALID', text);
}
