import { hash } from 'node:crypto';
import type { RequestIdentity } from '../core/request-fingerprint';
import { newWriter } from './new-writer';

const KEY_CHARS = 22;

/** The scope of a request id, so that it cannot collide with an id of another service or lock. */
export interface RequestScope {
  service: string;
  verb: string;
  namespace: string;
  name: string;
  requestId: string;
  /** The whole input, so that reuse of the id with another input is detected. */
  input: Record<string, unknown>;
}

/** The identity of a request that has an id: always the same for the same call. */
export function requestIdentity(scope: RequestScope): RequestIdentity {
  const { service, verb, namespace, name, requestId, input } = scope;
  return {
    key: digest([service, verb, namespace, name, requestId]),
    inputHash: digest(withSortedKeys(input)),
    remembered: true,
  };
}

/** The identity of a request without an id: unique, and its answer is not stored. */
export function anonymousRequest(random: () => string = newWriter): RequestIdentity {
  const key = random() + random();
  return { key, inputHash: key, remembered: false };
}

/** Sorts keys, since two objects that differ only in the order of their keys are one request. */
function withSortedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, withSortedKeys(part)] as const);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}

function digest(parts: unknown): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, KEY_CHARS);
}
