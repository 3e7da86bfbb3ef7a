import type { z } from 'zod';
import { setNamespacePolicyInput } from '../../contract/console/access-inputs';
import { setAlertRulesInput } from '../../contract/console/alerts/alert-inputs';
import { LockyardError } from '../../contract/errors';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { setAlertRules } from '../../operations/alerts/set-alert-rules';
import { createNamespace } from '../../operations/namespaces/create-namespace';
import {
  listNamespaceSettings,
  type NamespaceSettings,
  namespaceSettings,
} from '../../operations/namespaces/list-namespace-settings';
import { removeNamespace } from '../../operations/namespaces/remove-namespace';
import { setNamespacePolicy } from '../../operations/namespaces/set-namespace-policy';
import type { ControlContext } from '../../operations/operation-context';
import type { CliAnswer } from '../cli-answer';
import { requireServer } from '../require-server';
import { createIfMissing } from './create-if-missing';
import type { InputOf } from './provisioning-command';
import { textFields, textTable } from './text-table';

export async function listNamespaces(ctx: ControlContext): Promise<CliAnswer> {
  const settings = await listNamespaceSettings(ctx);
  const rows = settings.map(({ name, backend, createdAt, ownPolicy }) => ({
    name,
    backend,
    policy: ownPolicy === null ? 'default' : 'own',
    createdAt,
  }));
  return { text: textTable(rows), data: { namespaces: settings.map(withoutRules) } };
}

export async function showNamespace(
  ctx: ControlContext,
  { name }: InputOf<'namespaces show'>,
): Promise<CliAnswer> {
  const settings = await namespaceSettings(ctx, name);
  const { policy, ownPolicy, ...row } = withoutRules(settings);
  const own = ownPolicy === null ? 'default' : 'own';
  return {
    text: textFields({ ...row, policy: own, ...policy }),
    data: { namespace: withoutRules(settings) },
  };
}

const withoutRules = ({ alertRules: _, hasOwnAlertRules: __, ...rest }: NamespaceSettings) => rest;

export function createNamespaceIfMissing(
  ctx: ControlContext,
  { ifMissing, ...wanted }: InputOf<'namespaces create'>,
): Promise<CliAnswer> {
  const { name, backend } = wanted;
  const answer = (created: boolean) => ({
    text: null,
    note: created
      ? `Namespace "${name}" created on backend "${backend}".`
      : `Namespace "${name}" exists already; nothing was changed.`,
    data: { created, name, backend },
  });
  const find = async () => {
    const known = (await listNamespaceSettings(ctx)).find((each) => each.name === name);
    if (!known) return null;
    if (known.backend === backend) return answer(false);
    const text = `Namespace "${name}" exists on backend "${known.backend}".`;
    throw new LockyardError('CONFLICT', text);
  };
  const create = async () => {
    await createNamespace(ctx, wanted);
    return answer(true);
  };
  return createIfMissing(ifMissing, find, create);
}

export async function changePolicy(
  ctx: ControlContext,
  { name, set, reason }: InputOf<'namespaces change'>,
): Promise<CliAnswer> {
  const { ownPolicy, policy: present } = await namespaceSettings(ctx, name);
  const policy = set ? { ...policyBase(ownPolicy), ...set } : null;
  const seen = set && (ownPolicy ? present : null);
  const input = checked(setNamespacePolicyInput, { name, policy, seen, reason });
  const changed = await setNamespacePolicy(ctx, input);
  const note = `The policy of namespace "${name}" ${set ? 'was changed' : 'is the default again'}.`;
  return { text: null, note, data: { ...changed } };
}

/** The base of an own policy: the defaults without `maxLocks`, which may be above its default. */
export function policyBase(own: NamespaceSettings['ownPolicy']): Record<string, unknown> {
  const { maxLocks: _, ...bounds } = DEFAULT_POLICY;
  return { ...bounds, ...own };
}

export async function removeEmptyNamespace(
  ctx: ControlContext,
  input: InputOf<'namespaces remove'>,
): Promise<CliAnswer> {
  const removed = await removeNamespace(requireServer(ctx), input);
  return { text: null, note: `Namespace "${input.name}" removed.`, data: { ...removed } };
}

export async function listRules(ctx: ControlContext): Promise<CliAnswer> {
  const settings = await listNamespaceSettings(ctx);
  const rows = settings.map(({ name: namespace, alertRules: rules, hasOwnAlertRules: isOwn }) => ({
    namespace,
    isOwn,
    rules,
  }));
  const lines = rows.map(({ namespace, isOwn, rules }) => ({
    namespace,
    rules: isOwn ? 'own' : 'default',
    ...rules,
  }));
  return { text: textTable(lines), data: { alertRules: rows } };
}

export async function showRules(
  ctx: ControlContext,
  { name }: InputOf<'alert-rules show'>,
): Promise<CliAnswer> {
  const { alertRules: rules, hasOwnAlertRules: isOwn } = await namespaceSettings(ctx, name);
  const text = textFields({ namespace: name, rules: isOwn ? 'own' : 'default', ...rules });
  return { text, data: { alertRules: { namespace: name, isOwn, rules } } };
}

export async function changeRules(
  ctx: ControlContext,
  { name, set, reason }: InputOf<'alert-rules change'>,
): Promise<CliAnswer> {
  const { alertRules } = await namespaceSettings(ctx, name);
  const rules = set ? { ...alertRules, ...set } : null;
  const seen = set && alertRules;
  const wanted = { namespace: name, rules, seen, reason };
  const input = checked(setAlertRulesInput, wanted);
  const changed = await setAlertRules(ctx, input);
  const what = set ? 'were changed' : 'are the default again';
  const note = `The alert rules of namespace "${name}" ${what}.`;
  return { text: null, note, data: { name, ...changed } };
}

/** @throws LockyardError `INVALID` for settings that do not fit one another */
function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new LockyardError('INVALID', `--set ${String(issue?.path.at(-1))}: ${issue?.message}.`);
}
