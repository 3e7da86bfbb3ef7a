import { parseApiKey } from '../../auth/api-keys/api-key-text';
import type { ChangeKeyInput } from '../../contract/console/access-inputs';
import { LockyardError } from '../../contract/errors';
import { changeApiKey } from '../../operations/api-keys/change-api-key';
import { createApiKey, parseGivenKey } from '../../operations/api-keys/create-api-key';
import type { ApiKeyRow } from '../../operations/api-keys/list-api-keys';
import { revokeApiKey } from '../../operations/api-keys/revoke-api-key';
import { expiryOf, requireFormFor, storedLimits } from '../../operations/api-keys/stored-limits';
import { isInUse } from '../provisioning/key-commands';
import type { WantedKey } from './apply-input';
import { differences, forEntry, type PlannedChange } from './planned-change';

/** A wanted key and the existing one that it corresponds to; null: there is none yet. */
interface MatchedKey {
  wanted: WantedKey;
  /** The whole key from the environment; null: one is generated. */
  given: string | null;
  /** The generated key, if its file already has one. */
  made: string | null;
  known: ApiKeyRow | null;
}

/**
 * Finds the existing key for each wanted one: by its id if the key is in the environment, else the
 * newest of its name that is in use.
 *
 * @param present newest first
 * @param made generated keys that are already in their files, by the names of their entries
 * @throws LockyardError `INVALID` for a text that is not a key, `CONFLICT` for a key that has
 *   ended, was rotated, or belongs to another service or to another entry too
 */
export function matchKeys(
  wanted: WantedKey[],
  present: ApiKeyRow[],
  env: Record<string, string>,
  made: Record<string, string> = {},
): MatchedKey[] {
  const entries = new Map<string, string>();
  return wanted.map((each) => {
    if (!each.secret) {
      const known = present.find((row) => row.name === each.name && isInUse(row)) ?? null;
      return {
        wanted: each,
        given: null,
        made: known ? null : keyInFile(each, present, made),
        known,
      };
    }
    const { fromEnv } = each.secret;
    const given = env[fromEnv] ?? '';
    const id = parseApiKey(given)?.id;
    if (id === undefined) {
      const text = `$${fromEnv} is no API key; make one with: keys generate`;
      throw new LockyardError('INVALID', text);
    }
    const other = entries.get(id);
    if (other !== undefined) {
      const both = `Keys ${other} and ${each.name}`;
      throw new LockyardError('CONFLICT', `${both} have the same secret, that of ${id}.`);
    }
    entries.set(id, each.name);
    const known = present.find((row) => row.id === id) ?? null;
    if (known) requireUsable(known, each.name, `The API key ${id} in $${fromEnv}`);
    return { wanted: each, given, made: null, known };
  });
}

/** @throws LockyardError `CONFLICT` for a stored key that this entry cannot use */
function requireUsable({ replacedBy, name, state }: ApiKeyRow, wanted: string, what: string): void {
  if (replacedBy !== null) {
    const text = `${what} was rotated; ${replacedBy} has taken its place.`;
    throw new LockyardError('CONFLICT', text);
  }
  if (state !== 'live') throw new LockyardError('CONFLICT', `${what} is ${state}.`);
  if (name !== wanted) throw new LockyardError('CONFLICT', `${what} is of ${name}.`);
}

/** The key in the file of an entry; null if there is none. */
function keyInFile(
  { name }: WantedKey,
  present: ApiKeyRow[],
  made: Record<string, string>,
): string | null {
  const key = Object.hasOwn(made, name) ? (made[name] ?? null) : null;
  const id = key === null ? undefined : parseApiKey(key)?.id;
  const known = present.find((row) => row.id === id);
  if (!known) return key;
  const text = `Key ${name}: the key ${known.id} in its file is stored already, and not in use.`;
  throw new LockyardError('CONFLICT', text);
}

/**
 * The changes that give the keys their wanted state.
 *
 * @throws LockyardError with what the changes would be refused: `INVALID` for an expiry in the
 *   past, or a given key of another form; `CONFLICT` for a change that a key does not allow
 */
export function planKeys(matched: MatchedKey[], now: number): PlannedChange[] {
  return matched.flatMap((each) => {
    const { name, expiresAt: instant } = each.wanted;
    return forEntry(`Key ${name}`, () => {
      const expiresAt = expiryOf({ expiresAt: instant ? Date.parse(instant) : null }, now) ?? null;
      return each.known
        ? changedKey(each.wanted, each.known, expiresAt)
        : [createdKey(each, expiresAt)];
    });
  });
}

/** The changes that revoke the keys in use that are not wanted. */
export function planRevokedKeys(matched: MatchedKey[], present: ApiKeyRow[]): PlannedChange[] {
  return present
    .filter((row) => isInUse(row) && !matched.some(({ known }) => known?.id === row.id))
    .map(({ id, name }) => ({
      sign: '-',
      kind: 'key',
      name,
      details: [id],
      run: async (ctx) => void (await revokeApiKey(ctx, { id })),
    }));
}

function createdKey({ wanted, given, made }: MatchedKey, expiresAt: number | null): PlannedChange {
  const { name, namespaces = [], witness, prefix, verbs, secret } = wanted;
  const known = given ?? made;
  if (known !== null) parseGivenKey(known, storedLimits({ prefix, verbs }, expiresAt));
  const from = secret && `key from $${secret.fromEnv}`;
  return {
    sign: '+',
    kind: 'key',
    name,
    details: [
      witness ? 'witness' : `namespaces ${namespaces.join(', ')}`,
      ...(prefix === undefined ? [] : [`prefix ${JSON.stringify(prefix)}`]),
      ...(verbs ? [`verbs ${verbs.join(', ')}`] : []),
      ...(expiresAt === null ? [] : [`expires ${wanted.expiresAt}`]),
      from ?? 'with a generated key',
    ],
    run: async (ctx) => {
      const limits = {
        ...(prefix !== undefined && { prefix }),
        ...(verbs && { verbs }),
        ...(expiresAt !== null && { expiresAt }),
      };
      const input = { name, namespaces, ...(witness && { witness }), ...limits };
      const { key } = await createApiKey(ctx, input, { given: known, isOnly: given === null });
      return known === null ? { kind: 'key', name, secret: key } : undefined;
    },
  };
}

function changedKey(
  wanted: WantedKey,
  known: ApiKeyRow,
  expiresAt: number | null,
): PlannedChange[] {
  const { name, namespaces = [], witness = false } = wanted;
  if (witness !== known.isWitness) {
    const text = `The API key ${known.id} of ${name} is ${known.isWitness ? 'a' : 'no'} witness’s.`;
    throw new LockyardError('CONFLICT', text);
  }
  const { prefix = null, verbs = null } = wanted;
  requireFormFor(known.form, { prefix, verbs });
  const instant = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const sorted = (names: string[]) => [...names].sort();
  const details = differences(
    {
      namespaces: sorted(known.namespaces),
      prefix: known.prefix,
      verbs: known.verbs,
      expiresAt: instant(known.expiresAt),
    },
    { namespaces: sorted(namespaces), prefix, verbs, expiresAt: instant(expiresAt) },
  );
  if (details.length === 0) return [];
  const change: ChangeKeyInput = {
    id: known.id,
    ...(!witness && { namespaces, prefix, verbs }),
    expiresAt,
  };
  return [
    {
      sign: '~',
      kind: 'key',
      name,
      details: [known.id, ...details],
      run: async (ctx) => void (await changeApiKey(ctx, change)),
    },
  ];
}
