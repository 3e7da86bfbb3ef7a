import type { RecordKey } from './record-store';

/**
 * Ends the namespace in an id, and shows the kind of record. A namespace contains neither
 * separator; a name may. So a lock and a counter of one name are two records, and no lock's name
 * can reach a counter.
 */
const LOCK_SEPARATOR = '/';
const COUNTER_SEPARATOR = '#';

/** The first of the two in an id is the separator. */
const ANY_SEPARATOR = /[/#]/;

/** The character after a lock's separator: no lock's id of the namespace sorts after it. */
const AFTER_LOCK_SEPARATOR = '0';

/** One text for a key: no two keys share one. */
export function recordId({ namespace, name, kind }: RecordKey): string {
  return namespace + (kind === 'counter' ? COUNTER_SEPARATOR : LOCK_SEPARATOR) + name;
}

/** Whether a record is Lockyard's own, such as a heartbeat: it is neither shown nor counted. */
export function isOwnRecord({ namespace }: RecordKey): boolean {
  return namespace.startsWith('.');
}

export function recordKey(id: string): RecordKey {
  const end = id.search(ANY_SEPARATOR);
  const key = { namespace: id.slice(0, end), name: id.slice(end + 1) };
  return id[end] === COUNTER_SEPARATOR ? { ...key, kind: 'counter' } : key;
}

/** The ids of one namespace's locks: from the first text up to the second, exclusive. */
export function idRange(namespace: string): [from: string, to: string] {
  return [namespace + LOCK_SEPARATOR, namespace + AFTER_LOCK_SEPARATOR];
}
