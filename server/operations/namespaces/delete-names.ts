import type {
  ChosenNames,
  DeleteNamesInput,
  DeletionAnswer,
  DeletionPreview,
  DeletionResult,
} from '../../contract/console/deletion-inputs';
import { LockyardError } from '../../contract/errors';
import { ACT_LANDS_WITHIN_MS } from '../../core/timing';
import { runAuditedAct, type StartedAct } from '../audit/run-audited-act';
import { engineOf } from '../locks/resolve-lock';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/** No step begins when an act has less time left than this: its caller would be answered first. */
const STOP_BEFORE_MS = ACT_LANDS_WITHIN_MS - 3_000;

/** A search among very many locks ends by then, to leave time for deleting what it found. */
const SEARCH_BEFORE_MS = ACT_LANDS_WITHIN_MS - 2_000;

/** How many of the deleted names the audit log lists. */
const AUDITED_NAMES_MAX = 100;

/** What `deleteNames` would do with these names at this moment. */
export async function previewDeletion(
  ctx: OperationContext,
  chosen: ChosenNames,
): Promise<DeletionPreview> {
  await requireRole(ctx, 'operator');
  const { backend } = await engineOf(ctx, chosen.namespace);
  return ctx.runtime.nameDeletion.preview(backend, chosen);
}

/**
 * Deletes free locks, or counters, that an operator chose, at most as many as the preview showed.
 * One that is in use, or whose tokens a new one might repeat, is kept, and the answer says why. The
 * history of what is deleted is kept.
 *
 * Not atomic: each record is deleted on its own, so some may be deleted if this fails with
 * `UNKNOWN`.
 */
export async function deleteNames(
  ctx: OperationContext,
  { atMost, reason, ...chosen }: DeleteNamesInput,
): Promise<DeletionAnswer> {
  const { namespace, kind, names, prefix } = chosen;
  const subject = names
    ? names.length === 1
      ? (names[0] ?? '')
      : `${names.length} names`
    : `${prefix}*`;
  const seen = { ...(names && names.length > 1 ? { names } : {}), atMost };
  const what = { act: `${kind}.delete`, namespace, subject, reason, seen } as const;
  const run = async ({ leftMs }: StartedAct): Promise<DeletionAnswer> => {
    const { backend } = await engineOf(ctx, namespace);
    const results: DeletionResult[] = [];
    const count = () => results.filter(({ outcome }) => outcome === 'deleted').length;
    try {
      const more = await ctx.runtime.nameDeletion.delete(backend, chosen, {
        atMost,
        onResults: (batch) => void results.push(...batch),
        isTimeUp: () => leftMs() < STOP_BEFORE_MS,
        isSearchOver: () => leftMs() < SEARCH_BEFORE_MS,
      });
      const deleted = count();
      if (kind === 'counter') await forgetAtGate(ctx, backend, namespace, results);
      return { outcome: deleted > 0 ? 'done' : 'nothing', deleted, results, more };
    } catch (error) {
      if (count() === 0) throw error;
      const text = `Backend "${backend}" stopped responding: ${count()} deleted, possibly more.`;
      throw new LockyardError('UNKNOWN', text, { cause: error });
    }
  };
  return runAuditedAct(ctx, what, run, auditedResult);
}

/** Notifies the gate, which otherwise finds out later. */
async function forgetAtGate(
  { runtime }: OperationContext,
  backend: string,
  namespace: string,
  results: DeletionResult[],
): Promise<void> {
  const gone = results.filter(({ outcome }) => outcome === 'deleted');
  const keys = gone.map(({ name }) => ({ namespace, name }));
  await runtime.gates.of(backend, namespace)?.forget(keys);
}

function auditedResult({ deleted, results }: DeletionAnswer): Record<string, unknown> {
  const of = (outcome: DeletionResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).map(({ name }) => name);
  return {
    deleted,
    kept: of('kept').length,
    changed: of('changed').length,
    names: of('deleted').slice(0, AUDITED_NAMES_MAX),
  };
}
