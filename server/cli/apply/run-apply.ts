import { LockyardError } from '../../contract/errors';
import { listAllApiKeys } from '../../operations/api-keys/list-api-keys';
import { closeIntent, openIntent } from '../../operations/audit/audit-log';
import { permit } from '../../operations/audit/permit';
import { listNamespaceSettings } from '../../operations/namespaces/list-namespace-settings';
import type { ControlContext } from '../../operations/operation-context';
import { listUsers } from '../../operations/users/list-users';
import type { CliAnswer } from '../cli-answer';
import type { ApplyInput } from './apply-input';
import type { ApplyReport } from './apply-report';
import { matchKeys, planKeys, planRevokedKeys } from './plan-keys';
import { planNamespaces, planRemovedNamespaces } from './plan-namespaces';
import { planRemovedUsers, planUsers } from './plan-users';
import type { PlannedChange } from './planned-change';

export const INTERRUPTED = 'The command was interrupted.';

/** The maximum number of lines in an audit entry. */
const AUDITED_CHANGES_MAX = 100;

/**
 * Changes the installation to match a file, one change after another, in the order of their
 * dependencies; each is made entirely or not at all. Stops at the first that fails. The audit log
 * gets one entry for the whole run, and one for each change. What already matches is left
 * unchanged.
 *
 * @param isAwaited false once the caller has hung up or asks to end early: no further change is
 *   started
 * @throws LockyardError if nothing was changed, since the file contradicts what exists
 */
export async function runApply(
  ctx: ControlContext,
  input: ApplyInput,
  isAwaited: () => boolean,
): Promise<CliAnswer> {
  const { dryRun, file } = input;
  const planned = await plan(ctx, input);
  const report: ApplyReport = {
    changes: planned.map(({ sign, kind, name, details }) => ({
      sign,
      kind,
      name,
      details,
      outcome: 'planned',
    })),
    secrets: [],
  };
  if (!dryRun && planned.length > 0) {
    const changes = planned.slice(0, AUDITED_CHANGES_MAX).map(lineOf);
    const seen = { changes, count: planned.length };
    const what = { act: 'config.apply', subject: file.slice(-200), seen } as const;
    const intent = await openIntent(ctx, await permit(ctx, 'admin', what), what);
    await runAll(ctx, planned, report, isAwaited);
    const done = report.changes.filter(({ outcome }) => outcome === 'done').length;
    const { failure } = report;
    const result = { done, of: planned.length, ...(failure && { message: failure.message }) };
    const outcome = failure ? 'failed' : 'done';
    await closeIntent(ctx.runtime, intent, { outcome, result }).catch((err: unknown) =>
      ctx.runtime.log.warn({ err, intent }, 'could not write the outcome of an applied file'),
    );
  }
  return { text: null, data: { ...report } };
}

async function plan(
  ctx: ControlContext,
  { state, env, made, prune }: ApplyInput,
): Promise<PlannedChange[]> {
  const { namespaces, users, keys } = state;
  const present = {
    namespaces: await listNamespaceSettings(ctx),
    users: await listUsers(ctx),
    keys: await listAllApiKeys(ctx),
  };
  const names = [...present.namespaces, ...(namespaces ?? [])].map(({ name }) => name);
  for (const key of keys ?? []) {
    const missing = key.namespaces?.find((name) => !names.includes(name));
    if (!missing) continue;
    throw new LockyardError(
      'NOT_FOUND',
      `Key ${key.name}: there is no namespace "${missing}", neither here nor in the file.`,
    );
  }
  const matched = matchKeys(keys ?? [], present.keys, env, made);
  for (const { given, known } of matched) {
    // Throws unless the secret matches the key with this id.
    if (given !== null && known) await ctx.runtime.apiKeys.check(given);
  }
  return [
    ...planNamespaces(namespaces ?? [], present.namespaces, ctx.runtime.config),
    ...planUsers(users ?? [], present.users, env),
    ...planKeys(matched, ctx.runtime.clock.now()),
    ...(prune && keys ? planRevokedKeys(matched, present.keys) : []),
    ...(prune && users ? planRemovedUsers(users, present.users) : []),
    ...(prune && namespaces ? planRemovedNamespaces(namespaces, present.namespaces) : []),
  ];
}

async function runAll(
  ctx: ControlContext,
  planned: PlannedChange[],
  report: ApplyReport,
  isAwaited: () => boolean,
): Promise<void> {
  for (const [at, change] of planned.entries()) {
    const entry = report.changes[at];
    if (!entry) return;
    if (!isAwaited()) {
      report.failure = { reason: 'CONFLICT', message: INTERRUPTED };
      return;
    }
    try {
      const secret = await change.run(ctx);
      if (secret) report.secrets.push(secret);
      entry.outcome = 'done';
    } catch (error) {
      if (!(error instanceof LockyardError)) {
        ctx.runtime.log.error({ err: error }, 'A change of an applied file failed');
      }
      const { reason, message } =
        error instanceof LockyardError ? error : { reason: 'INTERNAL' as const, message: FAILED };
      entry.outcome = 'failed';
      report.failure = { reason, message };
      return;
    }
  }
}

const FAILED = 'The running server failed to do this; see its log.';

const lineOf = ({ sign, kind, name, details }: PlannedChange) =>
  `${sign} ${kind} ${name}: ${details.join('; ')}`.slice(0, 300);
