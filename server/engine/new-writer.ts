import { randomTextPool } from '../platform/random-text-pool';

/** Returns a unique text: 64 random bits as 11 letters, digits, `-` and `_`. */
export const newWriter = randomTextPool(8);
