import { LockyardError } from '../../contract/errors';
import { KEY_VERBS } from '../../contract/key-verbs';
import { changeApiKey } from '../../operations/api-keys/change-api-key';
import { createApiKey } from '../../operations/api-keys/create-api-key';
import { type ApiKeyRow, listAllApiKeys } from '../../operations/api-keys/list-api-keys';
import { revokeApiKey } from '../../operations/api-keys/revoke-api-key';
import { rotateApiKey } from '../../operations/api-keys/rotate-api-key';
import type { ControlContext } from '../../operations/operation-context';
import type { CliAnswer } from '../cli-answer';
import { createIfMissing } from './create-if-missing';
import type { InputOf } from './provisioning-command';
import { textFields, textTable } from './text-table';

export async function listKeys(ctx: ControlContext): Promise<CliAnswer> {
  const keys = await listAllApiKeys(ctx);
  const rows = keys.map((key) => ({
    id: key.id,
    name: key.name,
    namespaces: key.isWitness ? 'witness' : key.namespaces,
    prefix: key.prefix,
    verbs: key.verbs,
    state: key.replacedBy !== null && key.state === 'live' ? 'replaced' : key.state,
    expiresAt: key.expiresAt,
    lastUsedAt: key.lastUsedAt,
  }));
  return { text: textTable(rows), data: { keys } };
}

export async function showKey(
  ctx: ControlContext,
  { id }: InputOf<'keys show'>,
): Promise<CliAnswer> {
  const key = (await listAllApiKeys(ctx)).find((row) => row.id === id);
  if (!key) throw new LockyardError('NOT_FOUND', `There is no API key with the id "${id}".`);
  return { text: textFields({ ...key }), data: { key } };
}

/** Prints the key; with `ifMissing`, only a note if the service already has such a key. */
export async function createKey(
  ctx: ControlContext,
  { key: wanted, ifMissing }: InputOf<'keys create'>,
): Promise<CliAnswer> {
  const find = async () => {
    const rows = (await listAllApiKeys(ctx)).filter(
      (row) => row.name === wanted.name && isInUse(row),
    );
    const same = rows.find((row) => isSameAccess(row, wanted));
    if (same) {
      const note = `${wanted.name} already has such an API key, ${same.id}; nothing was changed.`;
      return { text: null, note, data: { created: false, id: same.id } };
    }
    if (!rows[0]) return null;
    throw new LockyardError(
      'CONFLICT',
      `There is an API key of ${wanted.name} that allows something else: ${rows[0].id}.`,
    );
  };
  const create = async () => {
    const made = await createApiKey(ctx, wanted, { isOnly: ifMissing === true });
    return { text: made.key, data: { created: true, ...made } };
  };
  return createIfMissing(ifMissing, find, create);
}

/** Whether a key is not rotated, revoked or expired. */
export const isInUse = (row: ApiKeyRow) => row.state === 'live' && row.replacedBy === null;

/** Whether a key allows exactly the same, regardless of its expiry. */
function isSameAccess(row: ApiKeyRow, wanted: InputOf<'keys create'>['key']): boolean {
  const access = (key: Pick<ApiKeyRow, 'namespaces' | 'prefix' | 'verbs' | 'isWitness'>) =>
    JSON.stringify([[...key.namespaces].sort(), key.prefix, key.verbs ?? KEY_VERBS, key.isWitness]);
  const { namespaces, prefix = null, verbs = null, witness: isWitness = false } = wanted;
  return access(row) === access({ namespaces, prefix, verbs, isWitness });
}

export async function changeKey(
  ctx: ControlContext,
  input: InputOf<'keys change'>,
): Promise<CliAnswer> {
  const changed = await changeApiKey(ctx, input);
  return { text: null, note: `API key ${changed.id} changed.`, data: { ...changed } };
}

/** Prints the new key. */
export async function rotateKey(
  ctx: ControlContext,
  input: InputOf<'keys rotate'>,
): Promise<CliAnswer> {
  const made = await rotateApiKey(ctx, input);
  return { text: made.key, data: { ...made } };
}

export async function revokeKey(
  ctx: ControlContext,
  input: InputOf<'keys revoke'>,
): Promise<CliAnswer> {
  const revoked = await revokeApiKey(ctx, input);
  return { text: null, note: `API key ${revoked.id} revoked.`, data: { ...revoked } };
}
