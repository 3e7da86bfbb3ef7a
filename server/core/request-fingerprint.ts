/** A caller's request id, bound to (service, verb, namespace, name), hashed outside the core. */
export interface RequestIdentity {
  /** 22 characters: 128 bits in base64url. */
  key: string;
  /** 22 characters, a hash of the whole input: it shows when an id is reused with another input. */
  inputHash: string;
  /**
   * Whether its answer is stored, so that a repeat gets it again. False if the caller gave no id:
   * then the key only distinguishes requests.
   */
  remembered: boolean;
}

const KEY_CHARS = 11;
const INPUT_CHARS = 3;

/** The short form that a waiter carries: 66 bits of the key, 18 bits of the input. */
export function requestFingerprint(request: RequestIdentity): string {
  return request.key.slice(0, KEY_CHARS) + request.inputHash.slice(0, INPUT_CHARS);
}

/** Whether a waiter's tag is that of the request with this key, whatever its input. */
export function isFingerprintOf(tag: string, key: string): boolean {
  return tag.startsWith(key.slice(0, KEY_CHARS));
}

/**
 * A short hash of an owner's name: FNV-1a over its UTF-16 units, 1 to 7 characters. Two different
 * names share one with a probability of 1 in 4 billion.
 */
export function markOf(owner: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < owner.length; i += 1) {
    hash = Math.imul(hash ^ owner.charCodeAt(i), 0x01000193) >>> 0;
  }
  return hash.toString(36);
}
