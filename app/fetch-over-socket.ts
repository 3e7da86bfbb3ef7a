import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { CONSOLE_SOCKET_HEADER } from '@/server/api/pages/process/page-process-protocol';

const ANSWER_MAX_MS = 20_000;

const agent = new Agent({ keepAlive: true });

/**
 * A `fetch` of the lock process over the socket that a page's request names: GET only, the whole
 * answer at once. Node's own `fetch` knows no sockets.
 */
export function fetchOverSocket(headers: Headers) {
  const socketPath = headers.get(CONSOLE_SOCKET_HEADER) ?? '';
  return async (address: unknown, init: { headers?: unknown } = {}) => {
    const { pathname, search } = new URL(String(address));
    const asked = await ask(socketPath, pathname + search, init.headers as Record<string, string>);
    return new Response(asked.body, { status: asked.status });
  };
}

function ask(
  socketPath: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(ANSWER_MAX_MS);
    const call = request({ agent, socketPath, path, headers, signal }, (res) => {
      text(res).then((body) => resolve({ status: res.statusCode ?? 0, body }), reject);
    });
    call.once('error', reject);
    call.end();
  });
}
