import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RequestScope } from './request-scope';

const EVERYWHERE = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'Permissions-Policy':
    'accelerometer=(), camera=(), geolocation=(), gyroscope=(), magnetometer=(), ' +
    'microphone=(), payment=(), usb=()',
} as const;

/** An API's answers are never pages: nothing in them may run, and no cache may store them. */
const OF_APIS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; sandbox",
  'Cache-Control': 'no-store',
} as const;

const YEAR_SECONDS = 31_536_000;
const SECURED = { 'Strict-Transport-Security': `max-age=${YEAR_SECONDS}` } as const;

/** Headers of every answer. */
export function setCommonHeaders({ res, requestId, isSecure }: RequestScope): void {
  res.setHeader('X-Request-Id', requestId);
  const headers = isSecure ? { ...EVERYWHERE, ...SECURED } : EVERYWHERE;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

export function setApiHeaders(res: ServerResponse): void {
  for (const [name, value] of Object.entries(OF_APIS)) res.setHeader(name, value);
}

const API_ANSWER = Object.entries({ ...EVERYWHERE, ...OF_APIS }).flat();
const SECURED_API_ANSWER = [...API_ANSWER, ...Object.entries(SECURED).flat()];

/** Both header sets without the request id, as a flat list for `writeHead`: far cheaper. */
export function apiAnswerHeaders(isSecure: boolean): readonly string[] {
  return isSecure ? SECURED_API_ANSWER : API_ANSWER;
}

/** A nonce for one answer; the scripts of its page carry a copy. */
export const newNonce = () => randomBytes(16).toString('base64');

/**
 * The policy of a page whose scripts carry `nonce`. Next reads the nonce from this header of the
 * *request* and puts it on its own scripts.
 *
 * Styles may be inline: charts and dialogs set them at run time, and they cannot run code.
 */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
