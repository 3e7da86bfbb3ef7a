import { eq, gt, isNull, or } from 'drizzle-orm';
import { allOf, type Database, type Db } from '@/db/database';
import { type ApiKeyText, newApiKey, parseApiKey } from '../../auth/api-keys/api-key-text';
import { limitsOf } from '../../auth/api-keys/stored-key';
import type { CreateKeyInput } from '../../contract/console/access-inputs';
import { LockyardError } from '../../contract/errors';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import { permit } from '../audit/permit';
import type { ControlContext } from '../operation-context';
import { requireNamespaces } from './require-namespaces';
import { expiryIn, formOf, requireFuture, storedLimits } from './stored-limits';

/** A key that was created, with its secret. */
export interface CreatedKey {
  id: string;
  /** The whole key, which is shown only this once. */
  key: string;
  /** Null: it does not expire. */
  expiresAt: number | null;
}

/**
 * Creates an API key for one service and some namespaces, or for a witness, which can do nothing
 * but report on processes. `key` is shown only this once: only a hash of it is stored. Several keys
 * of one name are one service, so that a key can be replaced without a pause. A key with a prefix,
 * verbs or an expiry has a form that versions without these refuse.
 *
 * @param how `given`: the whole key, where it was generated before; `isOnly`: no other key of this
 *   name may be in use, even if two such keys are created at the same time
 * @throws LockyardError `NOT_FOUND` for a namespace that does not exist; `INVALID` for an expiry in
 *   the past, or a given key of another form; `CONFLICT` where the given key exists already, or
 *   another key of the name is in use
 */
export async function createApiKey(
  ctx: ControlContext,
  input: CreateKeyInput,
  { given = null, isOnly = false }: { given?: string | null; isOnly?: boolean } = {},
): Promise<CreatedKey> {
  const { name, namespaces, witness, prefix, verbs } = input;
  const { database, clock } = ctx.runtime;
  const now = clock.now();
  const expiresAt = expiryIn(input, now) ?? null;
  const limits = storedLimits({ prefix, verbs }, expiresAt);
  const seen = {
    ...(witness ? { witness } : { namespaces }),
    ...limitsOf(limits),
    ...(expiresAt !== null && { expiresAt }),
  };
  const what = { act: 'key.create', subject: name, seen } as const;
  const who = await permit(ctx, 'admin', what);
  requireFuture(expiresAt, now);
  const { id, secretHash, key } =
    given === null ? newApiKey(formOf(limits)) : parseGivenKey(given, limits);
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
      expirySetAt: null,
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

/** Refuses a name with a key in use. Transactions that create an only key take turns here. */
async function requireOnlyKey(database: Database, tx: Db, name: string, now: number) {
  const { apiKeys } = database.tables;
  // A row that always exists, which all of them lock.
  await requireNamespaces(database, tx, ['default']);
  const isInUse = allOf(
    eq(apiKeys.name, name),
    isNull(apiKeys.revokedAt),
    isNull(apiKeys.replacedBy),
    or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
  );
  const [other] = await tx.select({ id: apiKeys.id }).from(apiKeys).where(isInUse);
  if (!other) return;
  throw new LockyardError('CONFLICT', `There is an API key of ${name} by now: ${other.id}.`);
}

/**
 * The parts of a key that was generated before.
 *
 * @param limits as a row stores them
 * @throws LockyardError `INVALID` for a key whose form does not fit these limits
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
