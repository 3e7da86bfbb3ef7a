import { openApiDocument } from '../../../contract/openapi/openapi-document';
import { hasVersion, versionOf } from '../requests/has-version';
import { wrongMethod } from '../requests/refuse';
import type { RequestScope } from '../requests/request-scope';
import { setApiHeaders } from '../requests/security-headers';

/** Where the service API describes itself. */
export const OPENAPI_PATH = '/api/v1/openapi.json';

/** Long enough to spare repeated reads, short enough for an upgrade to show. */
const CACHED_SECONDS = 60;

/** Serves the service API's description to everyone: it is part of the documentation. */
export function createOpenApiHandler() {
  let made: { body: Buffer; etag: string } | null = null;
  return async ({ req, res }: RequestScope): Promise<void> => {
    if (req.method !== 'GET' && req.method !== 'HEAD') throw wrongMethod('GET, HEAD');
    made ??= make();
    setApiHeaders(res);
    res.setHeader('Cache-Control', `public, max-age=${CACHED_SECONDS}`);
    res.setHeader('ETag', made.etag);
    if (hasVersion(req.headers['if-none-match'], made.etag)) {
      res.writeHead(304).end();
      return;
    }
    const headers = { 'Content-Type': 'application/json', 'Content-Length': made.body.length };
    res.writeHead(200, headers).end(req.method === 'HEAD' ? undefined : made.body);
  };
}

function make(): { body: Buffer; etag: string } {
  const body = Buffer.from(JSON.stringify(openApiDocument()));
  return { body, etag: versionOf(body) };
}
