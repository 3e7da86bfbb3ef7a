import type { IncomingMessage } from 'node:http';

const HOST = 'host';
const AUTHORIZATION = 'authorization';

/**
 * Whether a request has at most one `Host` and one `Authorization`. Of several, Node would use the
 * first, but a proxy in front might use another.
 */
export function hasSingleHeaders({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  let authorizations = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === HOST.length) {
      if (name.toLowerCase() === HOST) hosts += 1;
    } else if (name.length === AUTHORIZATION.length) {
      if (name.toLowerCase() === AUTHORIZATION) authorizations += 1;
    }
  }
  return hosts <= 1 && authorizations <= 1;
}
