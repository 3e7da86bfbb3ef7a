import { z } from 'zod';
import {
  changeKeyInput,
  createKeyInput,
  createNamespaceInput,
  revokeKeyInput,
  rotateKeyInput,
} from '../../contract/console/access-inputs';
import { silenceAlertsInput, silenceRef } from '../../contract/console/alerts/alert-inputs';
import {
  lockListInput,
  operatorReason,
  password,
  role,
  userName,
} from '../../contract/console/console-inputs';
import { counterListInput, setUpCounterInput } from '../../contract/console/counter-inputs';
import { namespaceName } from '../../contract/primitives';

/** A command as it is sent; with `json` its answer is JSON. */
export const command = <const V extends string, I extends z.ZodType>(verb: V, input: I) =>
  z.strictObject({ verb: z.literal(verb), input, json: z.literal(true).optional() });

const nothing = z.strictObject({});
/** True: if a matching one already exists, it is left unchanged, without an error. */
const ifMissing = z.literal(true).optional();
const named = z.strictObject({ name: userName });
const namespaceRef = z.strictObject({ name: namespaceName });

/** No setting has a longer name. */
export const SETTING_NAME_MAX = 40;

/** Changes some bounds of a policy, or some rules, or restores the default. */
const settings = {
  /** The new values, by their names in the API. */
  set: z.record(z.string().max(SETTING_NAME_MAX), z.json()).optional(),
  default: z.literal(true).optional(),
  reason: operatorReason,
};

/**
 * Commands that list, create, change and remove users, keys, namespaces, alert rules and silences,
 * list and create counters, and list locks and backends.
 */
export const PROVISIONING_COMMANDS = [
  command('keys list', nothing),
  command('keys show', revokeKeyInput),
  command('keys create', z.strictObject({ key: createKeyInput, ifMissing })),
  command('keys change', changeKeyInput),
  command('keys rotate', rotateKeyInput),
  command('keys revoke', revokeKeyInput),
  command('users list', nothing),
  command('users show', named),
  /** If there is no password, one is generated. */
  command('users create', named.extend({ role, password: password.optional(), ifMissing })),
  command(
    'users change',
    named.extend({ role: role.optional(), disabled: z.boolean().optional() }),
  ),
  command('users remove', named),
  command('users reset-password', named.extend({ password: password.optional() })),
  command('namespaces list', nothing),
  command('namespaces show', namespaceRef),
  command('namespaces create', createNamespaceInput.extend({ ifMissing })),
  command('namespaces change', namespaceRef.extend(settings)),
  command('namespaces remove', namespaceRef.extend({ reason: operatorReason })),
  command('alert-rules list', nothing),
  command('alert-rules show', namespaceRef),
  command('alert-rules change', namespaceRef.extend(settings)),
  command('silences list', nothing),
  command('silences create', silenceAlertsInput),
  command('silences remove', silenceRef),
  command(
    'locks list',
    lockListInput.pick({ attention: true, status: true, namespace: true, search: true }),
  ),
  command('counters list', counterListInput.pick({ search: true })),
  command('counters create', z.strictObject({ counter: setUpCounterInput, ifMissing })),
  command('backends list', nothing),
] as const;

const provisioningCommand = z.discriminatedUnion('verb', PROVISIONING_COMMANDS);
export type ProvisioningCommand = z.output<typeof provisioningCommand>;
export type ProvisioningVerb = ProvisioningCommand['verb'];
export type InputOf<V extends ProvisioningVerb> = Extract<
  ProvisioningCommand,
  { verb: V }
>['input'];
