import { createHash } from 'node:crypto';

/** An id made from a text, the same in every process, that fits into a URL and a column. */
export const shortId = (text: string) =>
  createHash('sha256').update(text).digest('base64url').slice(0, 16);
