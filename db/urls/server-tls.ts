import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';

/** URL schemes that require TLS. */
const TLS_SCHEME = /^(mysqls|rediss):$/;

export const speaksTls = (text: string) => TLS_SCHEME.test(new URL(text).protocol);

/**
 * The same URL with the file of the certificate authority that must have signed the server's
 * certificate. It is stored after the `#`, which a user's URL may not contain, and read again for
 * every connection.
 */
export function withAuthority(text: string, file: string): string {
  const url = new URL(text);
  url.hash = encodeURIComponent(file);
  return url.href;
}

/** The TLS options for the server of this URL; null for an unencrypted connection. */
export function tlsOf(text: string): ConnectionOptions | null {
  if (!speaksTls(text)) return null;
  const { hostname, hash } = new URL(text);
  return tlsWith(hostname.replace(/^\[|\]$/g, ''), decodeURIComponent(hash.slice(1)) || null);
}

/**
 * Certificates are always verified: their signature and their host.
 *
 * @param authorityFile PEM; null: Node's default authorities
 */
export function tlsWith(host: string, authorityFile: string | null): ConnectionOptions {
  return {
    rejectUnauthorized: true,
    ...(isIP(host) ? {} : { servername: host }),
    ...(authorityFile === null ? {} : { ca: authorityIn(authorityFile) }),
  };
}

const lastRead = new Map<string, string>();

/** The current text of a file, or else the last that was read: it may be missing while replaced. */
function authorityIn(file: string): string {
  try {
    lastRead.set(file, readFileSync(file, 'utf8'));
  } catch (error) {
    if (!lastRead.has(file)) throw error;
  }
  return lastRead.get(file) ?? '';
}
