import { hash, timingSafeEqual } from 'node:crypto';

/** SHA-256 in hexadecimal. Enough for texts that nobody can guess; passwords need `hashPassword`. */
export function hashText(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Compares two hashes in a time that tells nothing about where they differ. */
export function isSameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
