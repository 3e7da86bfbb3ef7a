import { randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pagePolicy } from '../http/requests/security-headers';
import { type GzipPiece, gzipOf, gzipPiece, plainPiece } from './gzip-pieces';
import type { PageRelay } from './process/page-relay';
import { acceptsGzip } from './static-files';

/** Pages that are the same for every caller except for the inserted values. */
export type CachedPage = 'badSetupLink' | 'docs' | 'notFound' | 'setup' | 'setupByLink' | 'signIn';

/** The values that differ between answers. */
export interface PageFills {
  nonce: string;
  /**
   * The origin at which the browser reaches this server. Inserted into scripts and markup without
   * escaping: letters, digits and `:/.-_[]`.
   */
  origin: string;
  /** The token of a setup link: letters, digits and `-_`. Empty if there is no valid link. */
  token: string;
}

/** A constant part, plain and compressed, or the name of a value to fill in. */
type Piece = { text: Buffer; gzipped: GzipPiece } | keyof PageFills;

interface CachedForm {
  status: number;
  headers: OutgoingHttpHeaders;
  pieces: Piece[];
}

/**
 * Renders each of these pages once, with placeholders for nonce, origin and token, then answers
 * them from memory. Each has two forms: the page itself, and the one for client navigations.
 */
export class CachedPages {
  private readonly placeholders: PageFills = {
    nonce: randomBytes(12).toString('hex'),
    origin: `http://${randomBytes(12).toString('hex')}.invalid`,
    token: randomBytes(12).toString('hex'),
  };
  private readonly forms = new Map<string, Promise<CachedForm>>();

  constructor(private readonly relay: PageRelay) {}

  /**
   * Answers a page. Rejects with `PageProcessFailure` if it is not cached and cannot be rendered.
   *
   * @param isNavigation whether to answer the form for client navigations
   * @returns how many bytes are sent
   */
  async answer(
    res: ServerResponse,
    page: CachedPage,
    isNavigation: boolean,
    fills: PageFills,
  ): Promise<number> {
    const form = await this.form(page, isNavigation);
    const isGzipped = acceptsGzip(res.req.headers['accept-encoding']);
    const pieces = isGzipped ? gzippedParts(form, fills) : plainParts(form, fills);
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    res.writeHead(form.status, {
      ...form.headers,
      'Content-Length': length,
      ...(isGzipped && { 'Content-Encoding': 'gzip' }),
    });
    if (res.req.method === 'HEAD') {
      res.end();
      return 0;
    }
    // All answers share these buffers, so a caller that does not read holds no copy.
    res.cork();
    for (const piece of pieces) res.write(piece);
    res.end();
    res.uncork();
    return length;
  }

  /** Renders all pages in advance, so that the first callers need not wait. */
  async prepare(): Promise<void> {
    const pages = Object.keys(PATHS) as CachedPage[];
    await Promise.all(pages.flatMap((page) => [this.form(page, false), this.form(page, true)]));
  }

  private form(page: CachedPage, isNavigation: boolean): Promise<CachedForm> {
    const key = `${page} ${isNavigation}`;
    const known = this.forms.get(key);
    if (known) return known;
    const made = this.render(page, isNavigation);
    this.forms.set(key, made);
    made.catch(() => this.forms.delete(key));
    return made;
  }

  private async render(page: CachedPage, isNavigation: boolean): Promise<CachedForm> {
    const { placeholders, relay } = this;
    const path = PATHS[page](placeholders.token);
    const { status, headers, text } = await relay.read(
      isNavigation ? `${path}${path.includes('?') ? '&' : '?'}_rsc` : path,
      {
        host: new URL(placeholders.origin).host,
        'content-security-policy': pagePolicy(placeholders.nonce),
        'x-forwarded-proto': 'http',
        ...(isNavigation && { rsc: '1' }),
      },
    );
    const expected = page === 'notFound' ? 404 : 200;
    if (status !== expected) throw new Error(`The page ${path} was answered with ${status}.`);
    return {
      status,
      headers: withoutPlaceholders(headers, placeholders),
      pieces: await cut(text, placeholders),
    };
  }
}

const PATHS: Record<CachedPage, (token: string) => string> = {
  badSetupLink: () => '/setup?token=',
  docs: () => '/docs',
  notFound: () => '/nothing-is-here',
  setup: () => '/setup',
  setupByLink: (token) => `/setup?token=${token}`,
  signIn: () => '/sign-in',
};

/** Drops preload hints, which carry a nonce: the page names the same files. */
function withoutPlaceholders(
  headers: OutgoingHttpHeaders,
  { nonce }: PageFills,
): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => name !== 'content-length' && !String(value).includes(nonce),
    ),
  );
}

function plainParts({ pieces }: CachedForm, fills: PageFills): Buffer[] {
  return pieces.map((piece) =>
    typeof piece === 'string' ? Buffer.from(fills[piece]) : piece.text,
  );
}

function gzippedParts({ pieces }: CachedForm, fills: PageFills): Buffer[] {
  const filled = {
    nonce: plainPiece(Buffer.from(fills.nonce)),
    origin: plainPiece(Buffer.from(fills.origin)),
    token: plainPiece(Buffer.from(fills.token)),
  };
  return gzipOf(pieces.map((piece) => (typeof piece === 'string' ? filled[piece] : piece.gzipped)));
}

async function cut(text: string, marks: PageFills): Promise<Piece[]> {
  const names = Object.keys(marks) as (keyof PageFills)[];
  const pattern = new RegExp(
    names.map((name) => `(${marks[name].replaceAll('.', '\\.')})`).join('|'),
  );
  const pieces: Piece[] = [];
  let rest = text;
  for (let found = pattern.exec(rest); found; found = pattern.exec(rest)) {
    const [mark, ...groups] = found;
    const name = names[groups.findIndex((group) => group !== undefined)];
    pieces.push(await partOf(rest.slice(0, found.index)), name ?? 'nonce');
    rest = rest.slice(found.index + mark.length);
  }
  pieces.push(await partOf(rest));
  return pieces;
}

async function partOf(part: string): Promise<Exclude<Piece, string>> {
  const text = Buffer.from(part);
  return { text, gzipped: await gzipPiece(text) };
}
