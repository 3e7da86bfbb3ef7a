import { hash } from 'node:crypto';
import type { RequestIdentity } from '../core/request-fingerprint';
import { newWriter } from './new-writer';

const KEY_CHARS = 22;

/** The scope of a request id: it cannot collide with an id of another service or another lock. */
export interface RequestScope {
  service: string;
  verb: string;
  namespace: string;
  name: string;
  requestId: string;
  /** The whole input, so that the same id with another input is noticed. */
  input: Record<string, unknown>;
}

/** The identity of a request that has an id: the same call gives the same one, for ever. */
export function requestIdentity(scope: RequestScope): RequestIdentity {
  const { service, verb, namespace, name, requestId, input } = scope;
  return {
    key: digest([service, verb, namespace, name, requestId]),
    inputHash: digest(withSortedKeys(input)),
    remembered: true,
  };
}

/** The identity of a request without an id: unlike any other, and not remembered. */
export function anonymousRequest(random: () => string = newWriter): RequestIdentity {
  const key = random() + random();
  return { key, inputHash: key, remembered: false };
}

/** Two objects that differ only in the order of their keys are the same request. */
function withSortedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, withSortedKeys(part)] as const);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}

function digest(parts: unknown): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, KEY_CHARS);
}
