import { randomFillSync } from 'node:crypto';

const TEXTS_AT_ONCE = 512;

/**
 * Generates unique random texts of a given number of random bytes, in letters, digits, `-` and `_`.
 * Random bytes are drawn by the hundred: one draw costs as much as a whole lock operation may.
 */
export function randomTextPool(bytes: number): () => string {
  const pool = Buffer.alloc(bytes * TEXTS_AT_ONCE);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return pool.toString('base64url', used - bytes, used);
  };
}
