import { eq } from 'drizzle-orm';
import type { ChangeKeyInput } from '../../contract/console/access-inputs';
import { LockyardError } from '../../contract/errors';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import type { ControlContext } from '../operation-context';
import { permitKeyAct, requireLiveKey, type StoredKey, selectKeyForUpdate } from './find-api-key';
import { requireNamespaces } from './require-namespaces';
import { expiryOf, formOf, limitsOf, requireFormFor } from './stored-limits';

/**
 * Changes what a key may do, or when it expires; its secret stays. It holds here at once, and within
 * 1 s at every process.
 *
 * @throws LockyardError `NOT_FOUND`; `CONFLICT` for a key that has ended, for a later expiry of a
 *   key that was rotated, for namespaces of a witness, and where a key without limits would get a prefix or verbs: its form does not keep a
 *   server of an earlier version from ignoring them
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
    refuseLongerGrace(row, wantedExpiry);
    const before = limitsOf(row.limits);
    const prefix = input.prefix === undefined ? before.prefix : (input.prefix ?? undefined);
    const verbs = input.verbs === undefined ? before.verbs : (input.verbs ?? undefined);
    requireFormFor(formOf(row.limits), { prefix, verbs });
    if (row.purpose === 'witness' && input.namespaces) {
      throw new LockyardError('CONFLICT', 'The key of a witness has no namespaces.');
    }
    if (input.namespaces) await requireNamespaces(database, tx, input.namespaces);
    const namespaces = input.namespaces ? JSON.stringify(input.namespaces) : row.namespaces;
    const expiresAt = wantedExpiry === undefined ? row.expiresAt : wantedExpiry;
    // A key of the limited form keeps that, whatever is lifted.
    const limits = row.limits === null ? null : JSON.stringify({ prefix, verbs });
    await tx.update(apiKeys).set({ namespaces, limits, expiresAt }).where(eq(apiKeys.id, id));
    const was = { namespaces: JSON.parse(row.namespaces), ...before, expiresAt: row.expiresAt };
    return { answer: { id }, result: { was } };
  });
  verifier.forget(id);
  return answer;
}

/** A key is rotated where its secret may have leaked: it never lives longer than its grace. */
function refuseLongerGrace(
  { replacedBy, expiresAt }: StoredKey,
  wanted: number | null | undefined,
): void {
  const isLater = (wanted ?? Number.POSITIVE_INFINITY) > (expiresAt ?? Number.POSITIVE_INFINITY);
  if (replacedBy === null || wanted === undefined || !isLater) return;
  const text = `This API key was rotated; ${replacedBy} has taken its place. It cannot expire later.`;
  throw new LockyardError('CONFLICT', text);
}
