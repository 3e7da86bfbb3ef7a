import { hashText, isSameHash } from '../../../auth/hash-text';
import { LockyardError } from '../../../contract/errors';
import type { Runtime } from '../../../operations/operation-context';
import { isLoopback } from '../../../platform/network-list';
import { crossSiteComplaint } from '../requests/cross-site';
import { wrongMethod } from '../requests/refuse';
import type { RequestScope } from '../requests/request-scope';
import { setApiHeaders } from '../requests/security-headers';

export const METRICS_PATH = '/metrics';

/** Headers that a proxy adds: behind one on this machine, every caller seems to be local. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Serves the metrics: to callers with the token if one is configured; otherwise to this machine
 * only.
 *
 * @throws LockyardError `UNAUTHENTICATED` for no token or a wrong one, `FORBIDDEN` from another
 * machine
 */
export function createMetricsHandler({ config, metrics }: Runtime) {
  const { metricsToken } = config;
  const expected = metricsToken === null ? null : hashText(metricsToken);
  return async (scope: RequestScope): Promise<void> => {
    const { req, res } = scope;
    if (req.method !== 'GET' && req.method !== 'HEAD') throw wrongMethod('GET, HEAD');
    if (expected === null) requireThisMachine(scope);
    else requireToken(scope, expected);
    const body = Buffer.from(await metrics.text());
    setApiHeaders(res);
    const headers = { 'Content-Type': metrics.contentType, 'Content-Length': body.length };
    res.writeHead(200, headers).end(req.method === 'HEAD' ? undefined : body);
  };
}

function requireToken({ req, res }: RequestScope, expected: string): void {
  const [, token] = /^Bearer ([\x21-\x7e]+)$/i.exec(req.headers.authorization ?? '') ?? [];
  if (token !== undefined && isSameHash(hashText(token), expected)) return;
  res.setHeader('WWW-Authenticate', 'Bearer');
  throw new LockyardError('UNAUTHENTICATED', 'Send the token of LOCKYARD_METRICS_TOKEN.');
}

/**
 * Checks the host name too: with DNS rebinding, another site's page can make a local browser ask
 * us.
 */
function requireThisMachine({ req, address }: RequestScope): void {
  const isForwarded = FORWARDED.some((name) => req.headers[name] !== undefined);
  const isHere = isLoopback(address) && isLoopbackName(req.headers.host ?? '');
  if (isHere && !isForwarded && crossSiteComplaint(req.headers) === null) return;
  throw new LockyardError(
    'FORBIDDEN',
    'Metrics are for this machine alone. Set LOCKYARD_METRICS_TOKEN to read them from elsewhere.',
  );
}

function isLoopbackName(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || isLoopback(name);
}
