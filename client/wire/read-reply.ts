import { LockyardError } from '../errors';
import type { Reason } from './wire';

/**
 * The answer in a reply, `{"result":{"data":{…}}}`; throws what `{"error":…}` says, or `UNKNOWN`
 * for anything else.
 */
export function readReply<A>(reply: Response, text: string): A {
  const requestId = reply.headers.get('x-request-id') ?? undefined;
  const body = parse(text);
  const data = field(field(body, 'result'), 'data');
  if (reply.ok && typeof data === 'object' && data !== null) return data as A;

  const error = field(body, 'error');
  const facts = field(error, 'data');
  const reason = field(facts, 'reason');
  const message = field(error, 'message');
  const retryAfterMs = field(facts, 'retryAfterMs');
  if (isReason(reason)) {
    throw new LockyardError(reason, typeof message === 'string' ? message : reason, {
      requestId,
      retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
    });
  }
  const what = `${reply.status} came without an answer of Lockyard`;
  throw new LockyardError(REFUSALS[reply.status] ?? 'UNKNOWN', `${what}; check the URL.`, {
    requestId,
  });
}

/**
 * What a bare HTTP status of a proxy says for sure: the call did not get through. Any other may
 * have.
 */
const REFUSALS: Record<number, Reason> = {
  301: 'INVALID',
  302: 'INVALID',
  307: 'INVALID',
  308: 'INVALID',
  400: 'INVALID',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'INVALID',
  413: 'TOO_LARGE',
  429: 'RATE_LIMITED',
};

const REASONS: Record<Reason, true> = {
  INVALID: true,
  UNAUTHENTICATED: true,
  FORBIDDEN: true,
  NOT_FOUND: true,
  CONFLICT: true,
  TOO_LARGE: true,
  RATE_LIMITED: true,
  NAMESPACE_FULL: true,
  CONTENDED: true,
  UNSUPPORTED: true,
  BACKEND_DOWN: true,
  UNKNOWN: true,
  INTERNAL: true,
};

function isReason(value: unknown): value is Reason {
  return typeof value === 'string' && Object.hasOwn(REASONS, value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
