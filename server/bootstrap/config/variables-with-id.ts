import { ConfigError } from '../../platform/start-error';

/**
 * The variables that have a prefix and an id in their names, such as `LOCKYARD_BACKEND_ORDERS`, in
 * the order of their names, each with its id in lower case.
 *
 * @param what names what they configure, such as `backend`
 * @throws ConfigError for an id that is not 1 to 32 letters, digits and `_`, or is named twice
 */
export function* variablesWithId(
  env: Record<string, string | undefined>,
  prefix: string,
  what: string,
): Generator<{ name: string; id: string }> {
  const ids = new Set<string>();
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith(prefix) || name === prefix) continue;
    const id = name.slice(prefix.length).toLowerCase();
    if (!/^[a-z0-9][a-z0-9_]{0,31}$/.test(id)) {
      throw new ConfigError(`${name}: a ${what}'s id must be 1 to 32 of A-Z 0-9 _.`);
    }
    if (ids.has(id)) throw new ConfigError(`${name}: the ${what} "${id}" is named twice.`);
    ids.add(id);
    yield { name, id };
  }
}
