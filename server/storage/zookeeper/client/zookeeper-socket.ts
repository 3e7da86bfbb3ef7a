import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { tlsWith } from '@/db/urls/server-tls';
import type { ZookeeperUrl } from '@/db/urls/zookeeper-url';

/** A server's address, and the credentials for it. */
export interface ServerAddress {
  host: string;
  port: number;
  /** `user:password` of the scheme "digest"; null: none. */
  credentials: string | null;
  /** As in `ZookeeperUrl`; absent: no TLS. */
  tls?: ZookeeperUrl['tls'] | undefined;
}

/**
 * Opens a connection.
 *
 * @param onReady called when data may be written: with TLS not before the certificate has been
 *   verified
 */
export function socketTo({ host, port, tls }: ServerAddress, onReady: () => void): Socket {
  if (!tls) return connect(port, host, onReady);
  return connectSecurely({ host, port, ...tlsWith(host, tls.authorityFile) }, onReady);
}
