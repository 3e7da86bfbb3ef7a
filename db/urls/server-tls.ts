import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';

/** Schemes of URLs whose server must speak TLS. */
const TLS_SCHEME = /^(mysqls|rediss):$/;

export const speaksTls = (text: string) => TLS_SCHEME.test(new URL(text).protocol);

/**
 * The same URL with the file of the authority that must have signed the server's certificate. It is kept behind the `#`, which
 * no URL of a user may carry, and read again for every connection.
 */
export function withAuthority(text: string, file: string): string {
  const url = new URL(text);
  url.hash = encodeURIComponent(file);
  return url.href;
}

/** What TLS with the server of this URL asks for; null where it is spoken to in the clear. */
export function tlsOf(text: string): ConnectionOptions | null {
  if (!speaksTls(text)) return null;
  const { hostname, hash } = new URL(text);
  return tlsWith(hostname.replace(/^\[|\]$/g, ''), decodeURIComponent(hash.slice(1)) || null);
}

/**
 * Certificates are verified always: who signed them, and that they are for this host.
 *
 * @param authorityFile PEM; null: the authorities that Node trusts by itself
 */
export function tlsWith(host: string, authorityFile: string | null): ConnectionOptions {
  return {
    rejectUnauthorized: true,
    ...(isIP(host) ? {} : { servername: host }),
    ...(authorityFile === null ? {} : { ca: readFileSync(authorityFile, 'utf8') }),
  };
}
