import { isBeyondThisMachine, isLoopback } from '../platform/network-list';
import type { Config } from './config/config';

/**
 * The warning for a server that other machines can reach without an encrypting proxy; null if only
 * this machine can reach it, or it trusts a proxy on another machine.
 */
export function unencryptedNote({ host, trustedProxies }: Config): string | null {
  const hasProxy = trustedProxies.texts.some((text) => !isLoopback(text.split('/', 1)[0] ?? ''));
  if (hasProxy || !isBeyondThisMachine(host)) return null;
  return (
    `Warning: listening on ${host} without TLS. Passwords and API keys can be read on the ` +
    'network; see docs/behind-a-proxy.md.'
  );
}
