import { randomTextPool } from '../platform/random-text-pool';

/** A text unlike any other: 64 random bits as 11 letters, digits, `-` and `_`. */
export const newWriter = randomTextPool(8);
