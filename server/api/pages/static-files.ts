import { readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { hasVersion, versionOf } from '../http/requests/has-version';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};
/** Already compressed: gzip would gain nothing. */
const COMPRESSED = new Set(['.woff2']);

/** Names of built files contain a hash of their content. */
const BUILT = 'public, max-age=31536000, immutable';
const NAMED = 'public, max-age=3600';

interface StaticFile {
  type: string;
  etag: string;
  caching: string;
  body: Buffer;
  gzipped: Buffer | null;
}

/** Browsers request the second if they see no link to the first, as with JSON. */
const ICON_ADDRESSES = ['/icon.svg', '/favicon.ico'];

/** The files of the built pages: scripts, styles, fonts, icon. About 3 MB in memory, compressed. */
export class StaticFiles {
  private constructor(private readonly files: Map<string, StaticFile>) {}

  /** @param buildDir the folder `.next` */
  static async read(buildDir: string): Promise<StaticFiles> {
    const root = join(buildDir, 'static');
    const found = await readdir(root, { recursive: true, withFileTypes: true });
    const paths = found
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const files = await Promise.all(
      paths.map(async (path) => {
        const address = `/_next/static${path.slice(root.length).replaceAll('\\', '/')}`;
        return [address, await readStatic(path, extname(path), BUILT)] as const;
      }),
    );
    const icon = await readStatic(join(buildDir, 'server/app/icon.svg.body'), '.svg', NAMED);
    const icons = ICON_ADDRESSES.map((address) => [address, icon] as const);
    return new StaticFiles(new Map([...files, ...icons]));
  }

  /** Whether an address belongs to a file, whether or not the file exists. */
  isFile(pathname: string): boolean {
    return pathname.startsWith('/_next/') || this.files.has(pathname);
  }

  /** Answers the file at an address, or 404. Returns how many bytes of it are sent. */
  answer(res: ServerResponse, pathname: string): number {
    const file = this.files.get(pathname);
    const { req } = res;
    if (!file) {
      res.writeHead(404, {
        'Content-Type': 'text/plain; charset=utf-8',
        'Cache-Control': 'no-store',
      });
      res.end('There is no such file.\n');
      return 0;
    }
    res.setHeader('Cache-Control', file.caching);
    res.setHeader('ETag', file.etag);
    res.setHeader('Vary', 'Accept-Encoding');
    if (hasVersion(req.headers['if-none-match'], file.etag)) {
      res.writeHead(304).end();
      return 0;
    }
    const isGzipped = file.gzipped !== null && acceptsGzip(req.headers['accept-encoding']);
    const body = isGzipped && file.gzipped ? file.gzipped : file.body;
    res.writeHead(200, {
      'Content-Type': file.type,
      'Content-Length': body.length,
      ...(isGzipped && { 'Content-Encoding': 'gzip' }),
    });
    res.end(req.method === 'HEAD' ? undefined : body);
    return body.length;
  }
}

/** Whether a caller accepts gzip. One that lists it with `q=0` does not. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  return String(header ?? '')
    .split(',')
    .some((item) => {
      const [coding, ...weights] = item.split(';').map((part) => part.trim().toLowerCase());
      return coding === 'gzip' && !weights.some((weight) => /^q=0(\.0*)?$/.test(weight));
    });
}

async function readStatic(path: string, extension: string, caching: string): Promise<StaticFile> {
  const body = await readFile(path);
  return {
    type: TYPES[extension] ?? 'application/octet-stream',
    etag: versionOf(body),
    caching,
    body,
    gzipped: COMPRESSED.has(extension) ? null : await promisify(gzip)(body, { level: 9 }),
  };
}
