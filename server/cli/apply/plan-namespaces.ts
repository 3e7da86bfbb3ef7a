import { setNamespacePolicyInput } from '../../contract/console/access-inputs';
import { alertRules } from '../../contract/console/alerts/alert-inputs';
import { DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import { LockyardError } from '../../contract/errors';
import { setAlertRules } from '../../operations/alerts/set-alert-rules';
import { createNamespace } from '../../operations/namespaces/create-namespace';
import type { NamespaceSettings } from '../../operations/namespaces/list-namespace-settings';
import { removeNamespace } from '../../operations/namespaces/remove-namespace';
import { requireConfiguredBackend } from '../../operations/namespaces/require-configured-backend';
import { requireUsableGate } from '../../operations/namespaces/require-usable-gate';
import { setNamespacePolicy } from '../../operations/namespaces/set-namespace-policy';
import type { ControlRuntime } from '../../operations/operation-context';
import { policyBase } from '../provisioning/namespace-commands';
import { requireServer } from '../require-server';
import type { WantedNamespace } from './apply-input';
import { APPLY_REASON, differences, forEntry, type PlannedChange } from './planned-change';

/**
 * The changes that give namespaces, policies and alert rules their wanted state.
 *
 * @throws LockyardError with what the changes would be refused: `CONFLICT` for a namespace that is
 *   on another backend, `NOT_FOUND` for a backend or a gate that is not configured, `INVALID`
 */
export function planNamespaces(
  wanted: WantedNamespace[],
  present: NamespaceSettings[],
  config: ControlRuntime['config'],
): PlannedChange[] {
  return wanted.flatMap((each) => {
    const known = present.find(({ name }) => name === each.name);
    return [
      ...createdNamespace(each, known, config),
      ...changedPolicy(each, known?.ownPolicy ?? null, config),
      ...changedRules(each, known),
    ];
  });
}

/** The changes that remove the namespaces that are not wanted. */
export function planRemovedNamespaces(
  wanted: WantedNamespace[],
  present: NamespaceSettings[],
): PlannedChange[] {
  return present
    .filter(({ name }) => name !== 'default' && !wanted.some((each) => each.name === name))
    .map(({ name, backend }) => ({
      sign: '-',
      kind: 'namespace',
      name,
      details: [`on backend ${backend}`],
      run: async (ctx) => {
        await removeNamespace(requireServer(ctx), { name, reason: APPLY_REASON });
        return undefined;
      },
    }));
}

function createdNamespace(
  { name, backend }: WantedNamespace,
  known: NamespaceSettings | undefined,
  config: ControlRuntime['config'],
): PlannedChange[] {
  if (known && known.backend !== backend) {
    const text = `Namespace "${name}" is on backend "${known.backend}", and never moves.`;
    throw new LockyardError('CONFLICT', text);
  }
  if (known) return [];
  forEntry(`Namespace ${name}`, () => requireConfiguredBackend(config, backend));
  return [
    {
      sign: '+',
      kind: 'namespace',
      name,
      details: [`on backend ${backend}`],
      run: async (ctx) => void (await createNamespace(ctx, { name, backend })),
    },
  ];
}

function changedPolicy(
  { name, backend, policy: wanted }: WantedNamespace,
  own: NamespaceSettings['ownPolicy'],
  config: ControlRuntime['config'],
): PlannedChange[] {
  if (wanted === undefined) return [];
  const isDefault = wanted === 'default';
  const before = policyBase(own);
  const after = isDefault ? policyBase(null) : { ...policyBase(null), ...wanted };
  const parsed = setNamespacePolicyInput.safeParse({
    name,
    policy: isDefault ? null : after,
    reason: APPLY_REASON,
  });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const text = `Policy of "${name}": ${String(issue?.path.at(-1))} ${issue?.message}.`;
    throw new LockyardError('INVALID', text);
  }
  const details = differences(before, after);
  const isSame = details.length === 0 && (own === null) === isDefault;
  if (isSame) return [];
  const gate = parsed.data.policy?.gate ?? null;
  forEntry(`Policy of "${name}"`, () => requireUsableGate(config, backend, gate));
  return [
    {
      sign: '~',
      kind: 'policy',
      name,
      details: details.length > 0 ? details : [isDefault ? 'to the default' : 'of its own'],
      run: async (ctx) => void (await setNamespacePolicy(ctx, parsed.data)),
    },
  ];
}

function changedRules(
  { name, alertRules: wanted }: WantedNamespace,
  known: NamespaceSettings | undefined,
): PlannedChange[] {
  if (wanted === undefined) return [];
  const before = known?.alertRules ?? DEFAULT_ALERT_RULES;
  const isOwn = known?.hasOwnAlertRules ?? false;
  const rules =
    wanted === 'default' ? null : alertRules.parse({ ...DEFAULT_ALERT_RULES, ...wanted });
  const details = differences({ ...before }, { ...(rules ?? DEFAULT_ALERT_RULES) });
  if (details.length === 0 && isOwn === (rules !== null)) return [];
  const change = { namespace: name, rules, reason: APPLY_REASON };
  return [
    {
      sign: '~',
      kind: 'alert rules',
      name,
      details: details.length > 0 ? details : [rules === null ? 'to the default' : 'of its own'],
      run: async (ctx) => void (await setAlertRules(ctx, change)),
    },
  ];
}
