import { hash, timingSafeEqual } from 'node:crypto';

/** SHA-256 in hexadecimal. Enough for unguessable texts; passwords need `hashPassword`. */
export function hashText(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Compares two hashes in constant time. */
export function isSameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
