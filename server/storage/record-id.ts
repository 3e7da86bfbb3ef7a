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
export function recordId(key: RecordKey): string {
  return key instanceof IdentifiedKey ? IdentifiedKey.idOf(key) : idOf(key);
}

/** The same key, which keeps its id: each commit looks dozens of things up by it. */
export function identifiedKey(key: RecordKey): RecordKey {
  return key instanceof IdentifiedKey ? key : new IdentifiedKey(key, idOf(key));
}

/** `join` makes one text. `+` would leave its parts apart, and each lookup would join them. */
function idOf({ namespace, name, kind }: RecordKey): string {
  return [namespace, name].join(kind === 'counter' ? COUNTER_SEPARATOR : LOCK_SEPARATOR);
}

/** The id is private, so that the key equals one without it. */
class IdentifiedKey implements RecordKey {
  readonly namespace: string;
  readonly name: string;
  declare readonly kind?: 'counter';
  readonly #id: string;

  constructor({ namespace, name, kind }: RecordKey, id: string) {
    this.namespace = namespace;
    this.name = name;
    if (kind) this.kind = kind;
    this.#id = id;
  }

  static idOf(key: IdentifiedKey): string {
    return key.#id;
  }
}

/** Whether a record is Lockyard's own, such as a heartbeat: it is neither shown nor counted. */
export function isOwnRecord({ namespace }: RecordKey): boolean {
  return namespace.startsWith('.');
}

export function recordKey(id: string): RecordKey {
  const end = id.search(ANY_SEPARATOR);
  const key = { namespace: id.slice(0, end), name: id.slice(end + 1) };
  const isCounter = id[end] === COUNTER_SEPARATOR;
  return new IdentifiedKey(isCounter ? { ...key, kind: 'counter' } : key, id);
}

/** The ids of one namespace's locks: from the first text up to the second, exclusive. */
export function idRange(namespace: string): [from: string, to: string] {
  return [namespace + LOCK_SEPARATOR, namespace + AFTER_LOCK_SEPARATOR];
}
