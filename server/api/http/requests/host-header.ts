import type { IncomingMessage } from 'node:http';

/** Characters that end a host in a URL, or precede it. */
const NOT_IN_HOST = /[/?#@\\]/;

let lastValid = '';

/**
 * Whether the `Host` of a request is valid, optionally with a port, and present in HTTP/1.1. tRPC
 * builds a URL from it.
 */
export function hasValidHost({ headers, httpVersion }: IncomingMessage): boolean {
  const { host } = headers;
  return host === undefined ? httpVersion !== '1.1' : isHost(host);
}

/** Nearly all callers of a server use the same name, so the last valid one is cached. */
function isHost(text: string): boolean {
  if (text === lastValid) return text !== '';
  if (NOT_IN_HOST.test(text) || !URL.canParse(`http://${text}`)) return false;
  lastValid = text;
  return true;
}
