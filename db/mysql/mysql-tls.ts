import { connect, isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'mysql2';
import { tlsOf } from '../urls/server-tls';

const PORT = 3306;

/** The driver's settings for a `mysqls:` URL; none for a `mysql:` URL. */
export function mysqlTls(url: string): Pick<ConnectionOptions, 'ssl' | 'stream'> {
  const tls = tlsOf(url);
  if (!tls) return {};
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    ssl: {
      rejectUnauthorized: true,
      verifyIdentity: true,
      ...(tls.ca ? { ca: String(tls.ca) } : {}),
    },
    ...(isIP(host) ? { stream: () => socketTo(host, Number(port || PORT)) } : {}),
  };
}

/** The driver gives the certificate check no host name but what it reads from this field. */
function socketTo(host: string, port: number): Socket {
  return Object.assign(connect(port, host), { _host: host });
}
