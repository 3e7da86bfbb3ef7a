import type { ClientSettings } from '../client-settings';
import { LockyardError } from '../errors';
import { traceHeader, withoutOtherTraces } from '../observing/trace-context';
import { onAbort } from '../platform/on-abort';
import { isSentDirectly } from './connection-probe';
import type { Procedure } from './procedures';
import { readReply } from './read-reply';

/** The time limits, cancellation and trace of one call. */
export interface CallOptions {
  /**
   * The call rejects with `UNKNOWN` after this many milliseconds without an answer. Default: 6,000,
   * plus `waitMs` (at most 25,000) for an acquire or a watch.
   */
  timeoutMs?: number | undefined;
  /**
   * The call rejects with `UNKNOWN` and `isUnreachable` after this many milliseconds without an
   * answer, if no connection to the address can be made either; each of several addresses has this
   * time. Has no effect with a `fetch` of your own, or through a proxy. Default: `timeoutMs`.
   */
  connectWithinMs?: number | undefined;
  /**
   * Its abort ends the request; the call rejects with its reason. The server may still apply it.
   */
  signal?: AbortSignal | undefined;
  /**
   * For an acquire: the W3C `traceparent` to store with the hold. Default: that of the active
   * OpenTelemetry span, if any. An invalid one is not sent.
   */
  traceparent?: string | undefined;
}

/**
 * One request to one address, one answer; nothing is sent twice. Rejects with `LockyardError`, or
 * the reason of `signal`. A request that was not sent is `BACKEND_DOWN`; one without a readable
 * answer is `UNKNOWN`.
 */
export async function sendRequest<A>(
  settings: ClientSettings,
  address: string,
  procedure: Procedure,
  input: object,
  options: CallOptions & { timeoutMs: number },
): Promise<A> {
  const { timeoutMs, signal } = options;
  signal?.throwIfAborted();
  const body = bodyOf(procedure, input);
  const connection = new AbortController();
  const hangUp = () => connection.abort();
  const stopTimer = settings.clock.after(timeoutMs, hangUp);
  const stopProbe = hangUpUnconnected(settings, address, options.connectWithinMs, connection);
  const giveUp = () =>
    connection.abort(signal?.reason instanceof LockyardError ? undefined : GIVEN_UP);
  const stopListening = onAbort(signal, giveUp);
  try {
    const request = httpRequest(settings, address, procedure, body, connection.signal);
    const trace = traceHeader(options.traceparent);
    const reply = await (trace.traceparent === undefined
      ? settings.fetch(...request)
      : sendTraced(settings, request, trace));
    const answer = await readReply<A>(procedure, reply);
    settings.addresses.hasAnswered = true;
    return answer;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof LockyardError) throw error;
    if (connection.signal.reason === UNCONNECTED) {
      const why = `no connection in ${options.connectWithinMs} ms`;
      throw new LockyardError('UNKNOWN', unreachable(address, why), { isUnreachable: true });
    }
    if (connection.signal.aborted) {
      throw new LockyardError('UNKNOWN', `No answer within ${Math.round(timeoutMs)} ms.`);
    }
    throw connectionFailure(error, address);
  } finally {
    stopTimer();
    stopProbe();
    stopListening();
  }
}

/** The reason for ending a request that its caller abandoned: no failure of the server. */
export const GIVEN_UP = Symbol('given up');

/** The reason for ending a request whose server cannot be reached. */
const UNCONNECTED = Symbol('unconnected');

/** The share of the time limit that a probe gets. */
const PROBE_PART = 0.4;

/**
 * Ends a request that has no answer in time, if by then no other connection can be made either. The
 * request may have been sent over a connection that was open before.
 */
function hangUpUnconnected(
  { canConnect, clock }: ClientSettings,
  address: string,
  withinMs: number | undefined,
  connection: AbortController,
): () => void {
  if (!canConnect || withinMs === undefined || !isSentDirectly()) return () => {};
  let isOver = false;
  const stopTimer = clock.after(withinMs * (1 - PROBE_PART), async () => {
    const isConnected = await canConnect(address, withinMs * PROBE_PART, clock);
    if (!isConnected && !isOver) connection.abort(UNCONNECTED);
  });
  return () => {
    isOver = true;
    stopTimer();
  };
}

/** Throws `INVALID` for text with half of a surrogate pair, which UTF-8 cannot represent. */
function bodyOf({ name }: Procedure, input: object): string {
  const body = jsonOf(name, input);
  if (!LONE_SURROGATE.test(body)) return body;
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  const broken = fields.find(([, value]) => LONE_SURROGATE.test(jsonOf(name, value)))?.[0];
  throw new LockyardError('INVALID', `${broken ?? 'input'}: must be well-formed Unicode`);
}

/** As `JSON.stringify` writes one; it writes a backslash of the text as two. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/** Throws `INVALID` for what JSON cannot represent, such as a bigint. */
function jsonOf(name: string, input: unknown): string {
  try {
    return JSON.stringify(input);
  } catch (cause) {
    const message = `The input of ${name} is not JSON: ${(cause as Error).message}`;
    throw new LockyardError('INVALID', message, { cause });
  }
}

function httpRequest(
  { apiKey }: ClientSettings,
  address: string,
  { name, kind }: Procedure,
  body: string,
  signal: AbortSignal,
): [string, RequestInit] {
  const url = `${address}/api/v1/${name}`;
  const authorization = `Bearer ${apiKey}`;
  // Following a redirect would send a command twice, so it is reported as a wrong address.
  const common = { redirect: 'manual', signal } as const;
  if (kind === 'query') {
    return [`${url}?input=${encodeURIComponent(body)}`, { ...common, headers: { authorization } }];
  }
  const headers = { authorization, 'content-type': 'application/json' };
  return [url, { ...common, method: 'POST', headers, body }];
}

function sendTraced(
  { fetch }: ClientSettings,
  [url, init]: [string, RequestInit],
  trace: Record<string, string>,
): Promise<Response> {
  const headers = { ...init.headers, ...trace };
  return withoutOtherTraces(() => fetch(url, { ...init, headers }));
}

/** The last is that of `fetch` for a port that it refuses. */
const NEVER_LEFT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'bad port',
]);

/** Errors about the server's certificate, or because it does not speak TLS: nothing was sent. */
const NO_TLS =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_|ERR_TLS_CERT_|ERR_SSL_WRONG_VERSION_NUMBER$)/;

/** What Node says where the server hangs up before TLS is agreed. Its code is that of any other. */
const NO_TLS_YET = 'before secure TLS connection was established';

/**
 * Whether the request was never sent. `EHOSTUNREACH` and the like count only from `connect`: an
 * open connection can have them too. A host name with several addresses fails with one error for
 * each.
 */
function hasNeverLeft(code: string, cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.every(isOfConnecting);
  return NEVER_LEFT.has(code) || NO_TLS.test(code) || isOfConnecting(cause);
}

function isOfConnecting(error: unknown): boolean {
  const { syscall, message } = (error ?? {}) as { syscall?: string; message?: string };
  const isConnecting = syscall === 'connect' || syscall === 'getaddrinfo';
  return isConnecting || message?.endsWith(NO_TLS_YET) === true;
}

const unreachable = (address: string, why: string) =>
  `Lockyard cannot be reached at ${address} (${why}).`;

/**
 * Why `fetch` got no answer: a code such as `ECONNREFUSED`, or a text such as `bad port`, for a
 * port that it refuses; empty if it does not say.
 */
export function reasonOfSilence(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return '';
  return 'code' in cause ? String(cause.code) : cause.message;
}

function connectionFailure(error: unknown, address: string): LockyardError {
  const cause = error instanceof Error ? error.cause : undefined;
  const why = reasonOfSilence(error);
  const isUnreachable = hasNeverLeft(why, cause);
  const message = unreachable(address, why || 'no answer');
  return new LockyardError(isUnreachable ? 'BACKEND_DOWN' : 'UNKNOWN', message, {
    cause: error,
    isUnreachable,
  });
}
