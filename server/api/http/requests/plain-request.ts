import type { IncomingMessage } from 'node:http';
import { hasValidHost } from './host-header';
import { hasSingleHeaders } from './single-headers';

/** Longer bodies gain nothing from the fast path. */
const BODY_MAX_BYTES = 16 * 1024;

const JSON_TYPES = new Set(['application/json', 'application/json; charset=utf-8']);

/** A query of one percent-encoded input, without anything else that a URL parser would decode. */
const ONLY_INPUT = /^input=((?:(?![+&#])[!-~])+)$/;

/** Headers that can change the meaning of a request. */
const MEANINGFUL_HEADERS = [
  'origin',
  'sec-fetch-site',
  'upgrade',
  'expect',
  'trpc-accept',
  'transfer-encoding',
  'content-encoding',
] as const;

/**
 * Whether a request can take the fast path, as nearly all from programs can: its headers pass every
 * guard of the tRPC handler, and only its address, its key and its body can affect the answer. If
 * in doubt, false.
 */
export function isPlainRequest(req: IncomingMessage): boolean {
  const { headers } = req;
  if (req.httpVersionMinor !== 1) return false;
  for (const name of MEANINGFUL_HEADERS) if (headers[name] !== undefined) return false;
  const { accept } = headers;
  if (accept?.includes('jsonl') || accept?.includes('event-stream')) return false;
  if (!hasValidHost(req) || !hasSingleHeaders(req)) return false;
  const length = headers['content-length'];
  if (req.method === 'GET') return length === undefined;
  if (!JSON_TYPES.has(headers['content-type'] ?? '')) return false;
  return length !== undefined && Number(length) <= BODY_MAX_BYTES;
}

/** The input of a query as text; null if a full URL parser is needed. */
export function plainInput(query: string): string | null {
  const encoded = ONLY_INPUT.exec(query)?.[1];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}
