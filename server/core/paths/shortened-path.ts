import { namespaceName } from '../../contract/primitives';

/** The address of a lock or a counter without its name, or without its namespace too. */
const SHORTENED = /^\/(locks|counters)(?:\/([^/]+))?\/?$/;

/**
 * Where the address of a lock or a counter leads if its last parts were left out: to the list, as
 * far as possible only of that namespace. Null for any other address.
 *
 * @param query the rest of the address after the `?`, which is kept
 */
export function shortenedPath(pathname: string, query: string): string | null {
  const [, place, namespace] = SHORTENED.exec(pathname) ?? [];
  if (place === undefined || (place === 'counters' && namespace === undefined)) return null;
  if (namespace !== undefined && !namespaceName.safeParse(namespace).success) return null;
  const params = new URLSearchParams(query);
  // The list of counters is searched by a part of namespace and name.
  if (namespace !== undefined && place === 'locks') params.set('namespace', namespace);
  if (namespace !== undefined && place === 'counters') params.set('q', `${namespace}/`);
  const list = place === 'locks' ? '/' : '/counters';
  return params.size > 0 ? `${list}?${params}` : list;
}
