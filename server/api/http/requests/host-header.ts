import type { IncomingMessage } from 'node:http';

const HOST = 'host';

/** What ends a host in a URL, or comes before it. */
const NOT_IN_HOST = /[/?#@\\]/;

let lastValid = '';

/**
 * Whether a request names one host, maybe with a port, as HTTP/1.1 demands and HTTP/1.0 allows. Of
 * several Node would take the first one, a proxy maybe another; and tRPC makes a URL of it.
 */
export function hasValidHost({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  const { host } = headers;
  if (host === undefined) return httpVersion !== '1.1';
  return isHost(host) && isOnly(rawHeaders);
}

/** Nearly all callers of a server call it by one name. */
function isHost(text: string): boolean {
  if (text === lastValid) return text !== '';
  if (NOT_IN_HOST.test(text) || !URL.canParse(`http://${text}`)) return false;
  lastValid = text;
  return true;
}

/** @param rawHeaders names and values in turn, with one `Host` at least */
function isOnly(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) count += 1;
  }
  return count <= 1;
}
