import { isIPv6 } from 'node:net';

const EVERY_ADDRESS: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The origin at which this machine reaches its server, even if that listens on every address. */
export function ownOrigin({ host, port }: { host: string; port: number }): string {
  const address = EVERY_ADDRESS[host] ?? host;
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
}
