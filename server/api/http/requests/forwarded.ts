import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type NetworkList, plainAddress } from '../../../platform/network-list';

/**
 * The caller's address. If the peer is a trusted proxy, the rightmost address of `X-Forwarded-For`
 * that is not a trusted proxy: the caller may have written everything to the left of it.
 */
export function callerAddress(req: IncomingMessage, proxies: NetworkList): string {
  let address = plainAddress(req.socket.remoteAddress ?? '');
  const header = req.headers['x-forwarded-for'];
  if (header === undefined) return address;
  const hops = String(header).split(',');
  while (proxies.has(address)) {
    const before = addressIn(hops.pop() ?? '');
    if (before === null) return address;
    address = before;
  }
  return address;
}

/**
 * Whether the caller's side of the connection is encrypted, according to a trusted proxy. Of
 * several values the last counts, since the trusted proxy wrote that one.
 */
export function isSecure(req: IncomingMessage, proxies: NetworkList): boolean {
  const header = req.headers['x-forwarded-proto'];
  if (header === undefined || !proxies.has(req.socket.remoteAddress ?? '')) return false;
  return String(header).split(',').at(-1)?.trim().toLowerCase() === 'https';
}

/** Some proxies add the port. Null if it is not an address, such as `unknown`. */
function addressIn(hop: string): string | null {
  const text = hop.trim();
  const [, bare = text] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? /^([^:]+):\d+$/.exec(text) ?? [];
  return isIP(bare) === 0 ? null : plainAddress(bare);
}
