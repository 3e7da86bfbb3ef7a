import { connect, isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'mysql2';
import { tlsOf } from '../urls/server-tls';

const PORT = 3306;

/**
 * After this time without traffic a connection is probed. Firewalls and load balancers drop a
 * connection that is idle for some minutes, and its next statement would wait for its time limit.
 */
export const KEEP_ALIVE_MS = 30_000;

/** The driver's settings for a `mysqls:` URL; none for a `mysql:` URL. */
export function mysqlTls(url: string): Pick<ConnectionOptions, 'ssl' | 'stream'> {
  const tls = tlsOf(url);
  if (!tls) return {};
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const verified = { rejectUnauthorized: true, verifyIdentity: true };
  const byAuthority = {
    ...verified,
    // A pool keeps these settings, and its driver reads this one for each connection.
    get ca() {
      return String(tlsOf(url)?.ca);
    },
  };
  return {
    ssl: tls.ca ? byAuthority : verified,
    ...(isIP(host) ? { stream: () => socketTo(host, Number(port || PORT)) } : {}),
  };
}

/** The driver checks the certificate against the host name in the field `_host`, and no other. */
function socketTo(host: string, port: number): Socket {
  const keepAlive = { keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
  return Object.assign(connect({ host, port, ...keepAlive }), { _host: host });
}
