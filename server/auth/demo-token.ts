import { createHmac } from 'node:crypto';
import { hashText, isSameHash } from './hash-text';

/** The demo's sign-in token, derived from the installation's secret and valid as long as it. */
export function demoToken(secret: string): string {
  return createHmac('sha256', secret).update('lockyard demo sign-in').digest('base64url');
}

export function isDemoToken(token: string, secret: string): boolean {
  return isSameHash(hashText(token), hashText(demoToken(secret)));
}
