import type { ClientSettings } from '../client-settings';
import { LockyardError } from '../errors';
import { readReply } from './read-reply';

/** One procedure of the service API and how it is called. */
export interface Procedure {
  name: string;
  kind: 'query' | 'mutation';
}

/** How long one request may take, and who may end it. */
export interface CallOptions {
  /** Then it counts as `UNKNOWN`. */
  timeoutMs?: number | undefined;
  /**
   * Ends the request; the call rejects with the signal's reason. Hanging up alone promises nothing:
   * cancel.
   */
  signal?: AbortSignal | undefined;
}

/**
 * One request, one answer; nothing is sent twice. Rejects with `LockyardError`, or the reason of
 * `signal`. A request that surely never left is `BACKEND_DOWN`; one without a readable answer is
 * `UNKNOWN`.
 */
export async function sendRequest<A>(
  settings: ClientSettings,
  procedure: Procedure,
  input: object,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<A> {
  signal?.throwIfAborted();
  const connection = new AbortController();
  const hangUp = () => connection.abort();
  const stopTimer = settings.clock.after(timeoutMs, hangUp);
  signal?.addEventListener('abort', hangUp, { once: true });
  try {
    const reply = await settings.fetch(
      ...httpRequest(settings, procedure, input, connection.signal),
    );
    return readReply<A>(reply, await reply.text());
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof LockyardError) throw error;
    if (connection.signal.aborted) {
      throw new LockyardError('UNKNOWN', `No answer within ${Math.round(timeoutMs)} ms.`);
    }
    throw connectionFailure(error);
  } finally {
    stopTimer();
    signal?.removeEventListener('abort', hangUp);
  }
}

function httpRequest(
  { url, apiKey }: ClientSettings,
  { name, kind }: Procedure,
  input: object,
  signal: AbortSignal,
): [string, RequestInit] {
  const address = `${url}/api/v1/${name}`;
  const authorization = `Bearer ${apiKey}`;
  const body = JSON.stringify(input);
  // Following a redirect would send a command twice; a redirect is reported as a wrong address
  // instead.
  const common = { redirect: 'manual', signal } as const;
  if (kind === 'query') {
    return [
      `${address}?input=${encodeURIComponent(body)}`,
      { ...common, headers: { authorization } },
    ];
  }
  const headers = { authorization, 'content-type': 'application/json' };
  return [address, { ...common, method: 'POST', headers, body }];
}

const NEVER_LEFT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

function connectionFailure(error: unknown): LockyardError {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer';
  const reason = NEVER_LEFT.has(code) ? 'BACKEND_DOWN' : 'UNKNOWN';
  return new LockyardError(reason, `Lockyard cannot be reached (${code}).`, { cause: error });
}
