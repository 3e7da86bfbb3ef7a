import type { IncomingMessage } from 'node:http';
import { LockyardError } from '../../../contract/errors';
import type { RequestScope } from './request-scope';

/** The longest body that either API reads. */
const BODY_MAX_BYTES = 256 * 1024;

/** The longest body that is read from callers that need neither a key nor a session. */
export const OPEN_BODY_MAX_BYTES = 16 * 1024;

/**
 * Each piece costs microseconds, however small, and all that have arrived are handled before any
 * other request.
 */
const PIECES_MAX = 16_384;

/** Whether a body may be longer than that, but not so long that it is refused anyway. */
export function mayBeLong({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const bytes = Number(headers['content-length'] ?? 0);
  return bytes > OPEN_BODY_MAX_BYTES && bytes <= BODY_MAX_BYTES;
}

/**
 * The whole body as text; empty if there is none. Null if the caller hung up before its end.
 *
 * @throws LockyardError `TOO_LARGE` beyond `maxBytes` or 16,384 pieces, `INVALID` for a compressed
 *   one and for bytes that are not UTF-8
 */
export async function readBody(
  { req, body }: RequestScope,
  maxBytes = BODY_MAX_BYTES,
): Promise<string | null> {
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = req.headers;
  const { 'transfer-encoding': coding = 'chunked' } = req.headers;
  if (Number(length ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
  if (encoding.toLowerCase() !== 'identity') throw compressed('Content-Encoding', encoding);
  if (coding.toLowerCase() !== 'chunked') throw compressed('Transfer-Encoding', coding);
  const bytes = body ?? (await collect(req, maxBytes));
  if (bytes === null) return null;
  try {
    // Lenient decoding would turn two different broken names into one and the same.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new LockyardError('INVALID', 'The body is not UTF-8.', { cause });
  }
}

function collect(req: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  // The caller may have hung up while it was being identified.
  if (req.destroyed) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      const isTooLong = size > maxBytes;
      if (!isTooLong && chunks.length <= PIECES_MAX) return;
      req.off('data', onData);
      req.resume();
      reject(isTooLong ? bodyTooLarge(maxBytes) : tooManyPieces());
    };
    req.on('data', onData);
    req.once('end', () => resolve(Buffer.concat(chunks)));
    req.once('error', () => resolve(null));
    req.once('close', () => resolve(null));
  });
}

function compressed(header: string, value: string): LockyardError {
  const text = `A body must not be compressed; this one has ${header} "${value.slice(0, 100)}".`;
  return new LockyardError('INVALID', text);
}

function tooManyPieces(): LockyardError {
  return new LockyardError('TOO_LARGE', `A body may arrive in at most ${PIECES_MAX} pieces.`);
}

function bodyTooLarge(maxBytes: number): LockyardError {
  return new LockyardError('TOO_LARGE', `A body may have at most ${maxBytes} bytes.`);
}
