import type { ControlContext } from '../../operations/operation-context';
import type { CliAnswer } from '../cli-answer';
import { listAllLocks } from '../records/list-all-locks';
import { namingOption } from '../usage-error';
import { listAllBackends } from './backend-commands';
import { createCounterIfMissing, listAllCounters } from './counter-commands';
import { changeKey, createKey, listKeys, revokeKey, rotateKey, showKey } from './key-commands';
import {
  changePolicy,
  changeRules,
  createNamespaceIfMissing,
  listNamespaces,
  listRules,
  removeEmptyNamespace,
  showNamespace,
  showRules,
} from './namespace-commands';
import type { InputOf, ProvisioningCommand, ProvisioningVerb } from './provisioning-command';
import { createSilence, listAllSilences, removeSilence } from './silence-commands';
import {
  changeUser,
  createUserIfMissing,
  listAllUsers,
  removeNamedUser,
  resetUserPassword,
  showUser,
} from './user-commands';

const HANDLERS: {
  [V in ProvisioningVerb]: (ctx: ControlContext, input: InputOf<V>) => Promise<CliAnswer>;
} = {
  'keys list': listKeys,
  'keys show': showKey,
  'keys create': createKey,
  'keys change': changeKey,
  'keys rotate': rotateKey,
  'keys revoke': revokeKey,
  'users list': listAllUsers,
  'users show': showUser,
  'users create': createUserIfMissing,
  'users change': changeUser,
  'users remove': removeNamedUser,
  'users reset-password': resetUserPassword,
  'namespaces list': listNamespaces,
  'namespaces show': showNamespace,
  'namespaces create': createNamespaceIfMissing,
  'namespaces change': changePolicy,
  'namespaces remove': removeEmptyNamespace,
  'alert-rules list': listRules,
  'alert-rules show': showRules,
  'alert-rules change': changeRules,
  'silences list': listAllSilences,
  'silences create': createSilence,
  'silences remove': removeSilence,
  'locks list': listAllLocks,
  'counters list': listAllCounters,
  'counters create': createCounterIfMissing,
  'backends list': listAllBackends,
};

export const isProvisioning = (command: { verb: string }): command is ProvisioningCommand =>
  Object.hasOwn(HANDLERS, command.verb);

/** Runs a command with the same operations as the console. Refusals of a field name its option. */
export async function runProvisioning(
  ctx: ControlContext,
  { verb, input }: ProvisioningCommand,
): Promise<CliAnswer> {
  const handle = HANDLERS[verb] as (ctx: ControlContext, input: unknown) => Promise<CliAnswer>;
  try {
    const answer = await handle(ctx, input);
    const [noun = '', word] = verb.split(' ');
    return word === 'list' && answer.text === null ? foundNone(noun, answer) : answer;
  } catch (error) {
    throw namingOption(error);
  }
}

/** An empty list prints nothing, which a person could take for a failure. */
function foundNone(noun: string, { note, ...answer }: CliAnswer): CliAnswer {
  const none = `No ${noun === 'keys' ? 'API keys' : noun} found.`;
  return { ...answer, note: note ? `${none}\n${note}` : none };
}
