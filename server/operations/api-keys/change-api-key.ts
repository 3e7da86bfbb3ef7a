import { eq } from 'drizzle-orm';
import { limitsOf, namespacesOf } from '../../auth/api-keys/stored-key';
import type { ChangeKeyInput } from '../../contract/console/access-inputs';
import { LockyardError } from '../../contract/errors';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import { permitKeyAct, requireLiveKey, type StoredKey, selectKeyForUpdate } from './find-api-key';
import { requireNamespaces } from './require-namespaces';
import { expiryOf, formOf, requireFormFor } from './stored-limits';

/**
 * Changes what a key may do, or when it expires; its secret stays. In force here immediately, and
 * within 1 s at every process.
 *
 * @throws LockyardError `NOT_FOUND`; `CONFLICT` for a key that has ended, where a rotated key would
 *   be allowed more or for longer, for namespaces, prefix or verbs of a witness, and where a key
 *   without limits would get a prefix or verbs: a server of an earlier version would ignore them,
 *   since the key's form does not tell it to refuse the key
 */
export async function changeApiKey(
  ctx: ControlContext,
  { id, ...input }: ChangeKeyInput,
): Promise<{ id: string }> {
  const { database, apiKeys: verifier, clock } = ctx.runtime;
  const { apiKeys } = database.tables;
  const { who, what } = await permitKeyAct(ctx, 'key.change', id, input);
  const wantedExpiry = expiryOf(input, clock.now());
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const row = await selectKeyForUpdate(database, tx, id);
    requireLiveKey(row, clock.now());
    if (row.replacedBy !== null && grantsMore(row, input, wantedExpiry))
      throw rotated(row.replacedBy);
    if (row.purpose === 'witness' && hasLimits(input)) {
      const text = 'The key of a witness has no namespaces, prefix or verbs.';
      throw new LockyardError('CONFLICT', text);
    }
    const before = limitsOf(row.limits);
    const prefix = input.prefix === undefined ? before.prefix : (input.prefix ?? undefined);
    const verbs = input.verbs === undefined ? before.verbs : (input.verbs ?? undefined);
    requireFormFor(formOf(row.limits), { prefix, verbs });
    if (input.namespaces) await requireNamespaces(database, tx, input.namespaces);
    const namespaces = input.namespaces ? JSON.stringify(input.namespaces) : row.namespaces;
    const expiresAt = wantedExpiry === undefined ? row.expiresAt : wantedExpiry;
    // A key of the limited form keeps that form, even if all limits are lifted.
    const limits = row.limits === null ? null : JSON.stringify({ prefix, verbs });
    const expirySetAt = expiresAt === row.expiresAt ? row.expirySetAt : clock.now();
    const changed = { namespaces, limits, expiresAt, expirySetAt };
    await tx.update(apiKeys).set(changed).where(eq(apiKeys.id, id));
    const held = namespacesOf(row.namespaces);
    const was = { namespaces: held, ...before, expiresAt: row.expiresAt };
    const isUnchanged =
      namespaces === row.namespaces && limits === row.limits && expiresAt === row.expiresAt;
    return { answer: { id }, result: { was }, isUnchanged };
  });
  verifier.forget(id);
  return answer;
}

type Changes = Omit<ChangeKeyInput, 'id'>;

/** Whether the change concerns the namespaces of the key, or what it may do there. */
const hasLimits = ({ namespaces, prefix, verbs }: Changes): boolean =>
  [namespaces, prefix, verbs].some((limit) => limit !== undefined);

/** Whether the change would let the key do more, or for longer. */
function grantsMore(row: StoredKey, changes: Changes, wantedExpiry: number | null | undefined) {
  const before = limitsOf(row.limits);
  const { prefix = before.prefix ?? '', verbs = before.verbs, namespaces = [] } = changes;
  const isLater = (wantedExpiry ?? NEVER) > (row.expiresAt ?? NEVER) && wantedExpiry !== undefined;
  const held = namespacesOf(row.namespaces);
  return (
    isLater ||
    !(prefix ?? '').startsWith(before.prefix ?? '') ||
    (before.verbs !== undefined && !verbs?.every((verb) => before.verbs?.includes(verb))) ||
    !namespaces.every((namespace) => held.includes(namespace))
  );
}

const NEVER = Number.POSITIVE_INFINITY;

/** A key may be rotated because its secret may have leaked. */
const rotated = (replacedBy: string) =>
  new LockyardError(
    'CONFLICT',
    `This API key was rotated; ${replacedBy} has taken its place. It may do less or expire ` +
      'sooner, not more or later.',
  );
