import { createHmac } from 'node:crypto';
import { hashText, isSameHash } from './hash-text';

/** The demo's sign-in token: the same for as long as the installation keeps its secret, and made by nobody else. */
export function demoToken(secret: string): string {
  return createHmac('sha256', secret).update('lockyard demo sign-in').digest('base64url');
}

export function isDemoToken(token: string, secret: string): boolean {
  return isSameHash(hashText(token), hashText(demoToken(secret)));
}

/** Whether a peer's address is this machine's own. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);
}
