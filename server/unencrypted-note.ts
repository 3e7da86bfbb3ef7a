import type { Config } from './config';
import { isBeyondThisMachine, isLoopback } from './network-list';

/**
 * What to say at the start of a server that other machines can reach without a proxy that would
 * encrypt; null for one that only this machine can reach, or with a proxy elsewhere.
 */
export function unencryptedNote({ host, trustedProxies }: Config): string | null {
  const hasProxy = trustedProxies.texts.some((text) => !isLoopback(text.split('/', 1)[0] ?? ''));
  if (hasProxy || !isBeyondThisMachine(host)) return null;
  return `Warning: listening on ${host} without TLS. Passwords and API keys can be read on the network; see docs/behind-a-proxy.md.`;
}
