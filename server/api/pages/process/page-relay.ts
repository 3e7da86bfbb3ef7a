import {
  Agent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
  request,
} from 'node:http';
import { promisify } from 'node:util';
import { unzip } from 'node:zlib';
import type { RequestScope } from '../../http/requests/request-scope';

/**
 * The unsent bytes per page. Larger than any page, so that a slow caller does not block the page
 * process.
 */
const UNSENT_MAX_BYTES = 1024 * 1024;
/** From a caller's request to the headers of the response. */
const HEAD_MAX_MS = 10_000;
/** Between two chunks of a response; also to the headers of a response that no caller waits for. */
const SILENT_MAX_MS = 30_000;

/** The only request headers that reach a page; others could mislead its renderer. */
const PASSED_ON = [
  'accept',
  'accept-encoding',
  'accept-language',
  'cookie',
  'host',
  'next-router-prefetch',
  'next-router-segment-prefetch',
  'next-router-state-tree',
  'next-url',
  'rsc',
  'user-agent',
];

/** Headers of one connection only, or set by the page handler. */
const NOT_PASSED_BACK = new Set([
  'connection',
  'content-security-policy',
  'date',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
]);

/**
 * The row by which a navigation's answer says that its subject does not exist: Next has sent 200 by
 * then.
 */
const NOT_FOUND_ROW = /^[0-9a-f]+:E\{"digest":"NEXT_HTTP_ERROR_FALLBACK;404"/m;

const unzipped = promisify(unzip);

/** The page process did not answer, or its answer was incomplete. */
export class PageProcessFailure extends Error {
  override readonly name = 'PageProcessFailure';
}

/** Forwards page requests to the page process, over its socket. */
export class PageRelay {
  private readonly agent = new Agent({ keepAlive: true });
  /** Responses complete at this end whose callers have not read all of them. */
  private readonly unread = new Set<RequestScope['res']>();

  constructor(private readonly socketPath: string) {}

  /** How many bytes of these responses their callers have not read yet. */
  get unreadBytes(): number {
    let sum = 0;
    for (const res of this.unread) sum += res.writableLength;
    return sum;
  }

  /**
   * Forwards the page process's response to the caller. Resolves when all of it has been received,
   * though the caller may still be reading it; also when the caller hangs up.
   *
   * @param policy the content security policy of the response; the page uses its nonce
   * @param gone aborts when the caller hangs up
   * @param mayBeMissing whether the page's subject may not exist
   * @returns how many bytes were received; null if the page's subject does not exist: then nothing
   *   has been sent
   * @throws PageProcessFailure while nothing has been sent yet
   */
  async relay(
    scope: RequestScope,
    policy: string,
    gone: AbortSignal,
    mayBeMissing = false,
  ): Promise<number | null> {
    const { req, res } = scope;
    const upstream = await this.ask(scope, policy, gone);
    if (upstream === null) return 0;
    if (upstream.statusCode === 404) {
      upstream.resume();
      return null;
    }
    if (mayBeMissing && req.headers.rsc === '1') return this.relayWhole(res, upstream, gone);
    let bytes = 0;
    res.writeHead(upstream.statusCode ?? 502, passedBack(upstream));
    const resume = () => upstream.resume();
    res.on('drain', resume);
    upstream.on('data', (piece: Buffer) => {
      bytes += piece.length;
      res.write(piece);
      if (res.writableLength > UNSENT_MAX_BYTES) upstream.pause();
    });
    await new Promise<void>((resolve) => {
      upstream.once('end', () => {
        this.countUnread(res);
        res.end();
      });
      // An incomplete page must not look complete.
      upstream.once('close', () => {
        if (!upstream.complete) res.destroy();
        resolve();
      });
    });
    res.off('drain', resume);
    return bytes;
  }

  /** The answer to a client navigation, sent only when it is complete: see `NOT_FOUND_ROW`. */
  private async relayWhole(
    res: RequestScope['res'],
    upstream: IncomingMessage,
    gone: AbortSignal,
  ): Promise<number | null> {
    const body = await wholeBody(upstream).catch((error: unknown) => {
      if (gone.aborted) return null;
      throw error;
    });
    if (body === null) return 0;
    const isPlain = upstream.headers['content-encoding'] === undefined;
    const text = isPlain ? body : await unzipped(body);
    if (NOT_FOUND_ROW.test(text.toString('latin1'))) return null;
    res.writeHead(upstream.statusCode ?? 502, passedBack(upstream));
    this.countUnread(res);
    res.end(body);
    return body.length;
  }

  private countUnread(res: RequestScope['res']): void {
    if (res.closed) return;
    this.unread.add(res);
    res.once('close', () => this.unread.delete(res));
  }

  /** A page's body as text, requested by this process itself. Rejects with `PageProcessFailure`. */
  async read(
    path: string,
    headers: OutgoingHttpHeaders,
  ): Promise<{ status: number; headers: OutgoingHttpHeaders; text: string }> {
    const answer = await this.send({ path, headers }, SILENT_MAX_MS);
    const text = (await wholeBody(answer)).toString();
    return { status: answer.statusCode ?? 0, headers: passedBack(answer), text };
  }

  close(): void {
    this.agent.destroy();
  }

  /** Null if the caller hung up first. */
  private async ask(
    { req, address, isSecure, requestId }: RequestScope,
    policy: string,
    gone: AbortSignal,
  ): Promise<IncomingMessage | null> {
    if (gone.aborted) return null;
    const headers: OutgoingHttpHeaders = {
      'content-security-policy': policy,
      'x-forwarded-for': address,
      'x-forwarded-proto': isSecure ? 'https' : 'http',
      'x-request-id': requestId,
    };
    for (const name of PASSED_ON)
      if (req.headers[name] !== undefined) headers[name] = req.headers[name];
    const { url: path = '/', method = 'GET' } = req;
    try {
      return await this.send({ path, method, headers, signal: gone }, HEAD_MAX_MS);
    } catch (error) {
      if (gone.aborted) return null;
      throw error;
    }
  }

  /** The response from its headers on. Rejects with `PageProcessFailure`. */
  private send(
    what: Pick<RequestOptions, 'path' | 'method' | 'headers' | 'signal'>,
    headMaxMs: number,
  ): Promise<IncomingMessage> {
    const { agent, socketPath } = this;
    return new Promise((resolve, reject) => {
      const call = request({ agent, socketPath, ...what });
      call.setTimeout(headMaxMs, () => call.destroy(new Error('No answer in time.')));
      call.once('response', (answer) => {
        call.setTimeout(SILENT_MAX_MS);
        resolve(answer);
      });
      call.once('error', (cause) =>
        reject(new PageProcessFailure('The page process did not answer.', { cause })),
      );
      call.end();
    });
  }
}

/** Rejects with `PageProcessFailure` if the answer is incomplete. */
async function wholeBody(answer: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of answer) pieces.push(piece);
  } catch (cause) {
    throw new PageProcessFailure('The page process answered half a page.', { cause });
  }
  if (!answer.complete) throw new PageProcessFailure('The page process answered half a page.');
  return Buffer.concat(pieces);
}

function passedBack({ headers }: IncomingMessage): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED_BACK.has(name)));
}
