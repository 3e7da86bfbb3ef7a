import type { IncomingMessage } from 'node:http';

/** What ends a host in a URL, or comes before it. */
const NOT_IN_HOST = /[/?#@\\]/;

let lastValid = '';

/**
 * Whether a request names a host, maybe with a port, as HTTP/1.1 demands and HTTP/1.0 allows: tRPC
 * makes a URL of it.
 */
export function hasValidHost({ headers, httpVersion }: IncomingMessage): boolean {
  const { host } = headers;
  return host === undefined ? httpVersion !== '1.1' : isHost(host);
}

/** Nearly all callers of a server call it by one name. */
function isHost(text: string): boolean {
  if (text === lastValid) return text !== '';
  if (NOT_IN_HOST.test(text) || !URL.canParse(`http://${text}`)) return false;
  lastValid = text;
  return true;
}
