import { LockyardError } from '../errors';
import { missingIn } from './answer-needs';
import type { Procedure } from './procedures';
import type { Reason } from './wire';

/**
 * The longest answer that is read: enough for a page of 1,000 locks with 200 holders each, which is
 * the most that a lock can have.
 */
const ANSWER_MAX_MIB = 64;

/**
 * The result in a reply; throws the error in it, or one by its status for anything else. An answer
 * that is too long is not read to its end.
 */
export async function readReply<A>(procedure: Procedure, reply: Response): Promise<A> {
  const { name } = procedure;
  const requestId = reply.headers.get('x-request-id') ?? undefined;
  const text = await textWithin(reply, ANSWER_MAX_MIB * 2 ** 20);
  if (text === null) {
    // A query changes nothing, and its caller can ask for less.
    const reason = procedure.kind === 'query' ? 'TOO_LARGE' : 'UNKNOWN';
    const what = `The answer has more than ${ANSWER_MAX_MIB} MiB.`;
    throw new LockyardError(reason, what, { requestId });
  }
  const body = parse(text);
  const data = field(field(body, 'result'), 'data');
  if (reply.ok && typeof data === 'object' && data !== null) {
    const missing = missingIn(name, data);
    if (missing === null) return data as A;
    throw new LockyardError('UNKNOWN', `The answer has no ${missing}.`, { requestId });
  }

  const error = field(body, 'error');
  const facts = field(error, 'data');
  const reason = textIn(facts, 'reason');
  const byStatus = REFUSALS[reply.status] ?? 'UNKNOWN';
  if (reason !== undefined) {
    const known = isReason(reason) ? reason : byStatus;
    throw new LockyardError(known, textIn(error, 'message') ?? reason, {
      requestId,
      retryAfterMs: numberIn(facts, 'retryAfterMs'),
      capacity: numberIn(facts, 'capacity'),
      detail: textIn(facts, 'detail'),
      waitMaxMs: numberIn(facts, 'waitMaxMs'),
    });
  }
  const what = `${reply.status} came without an answer of Lockyard`;
  const known = { requestId, retryAfterMs: retryAfterLimitMs(reply), isForeign: true };
  throw new LockyardError(byStatus, `${what}; check the URL.`, known);
}

/** The text of a reply; null if it has more than `maxBytes`: then its connection is closed. */
async function textWithin(reply: Response, maxBytes: number): Promise<string | null> {
  // Null for an empty one; a `fetch` of the caller's may have none at all.
  if (!reply.body) return reply.text();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of reply.body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** A proxy may ask for hours, while a hold or a queue position is lost in seconds. */
const RETRY_AFTER_MAX_MS = 5_000;

/**
 * The `Retry-After` of a proxy that limits the rate, in milliseconds. Ignored with any other
 * status: the next attempt may well reach another server.
 */
function retryAfterLimitMs({ status, headers }: Response): number | undefined {
  const seconds = headers.get('retry-after') ?? '';
  if (status !== 429 || !/^\d+$/.test(seconds)) return undefined;
  return Math.min(RETRY_AFTER_MAX_MS, Number(seconds) * 1_000);
}

/**
 * The reason for the status of a proxy, or of a server whose own reason is newer than this client.
 * With these the call was not applied; with any other it may have been.
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

function isReason(text: string): text is Reason {
  return Object.hasOwn(REASONS, text);
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

function textIn(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === 'string' ? found : undefined;
}

function numberIn(value: unknown, name: string): number | undefined {
  const found = field(value, name);
  return typeof found === 'number' ? found : undefined;
}
