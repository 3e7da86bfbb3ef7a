import { createHash } from 'node:crypto';

/** An id made from a text: fits into an address and a column, and is the same in every process. */
export const shortId = (text: string) =>
  createHash('sha256').update(text).digest('base64url').slice(0, 16);
