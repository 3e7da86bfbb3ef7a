import { X509Certificate } from 'node:crypto';
import type { BackendUrl, DatabaseUrl } from '@/db/urls/backend-url';
import { speaksTls, withAuthority } from '@/db/urls/server-tls';
import type { Shard } from '@/db/urls/shard-list';
import { nearestName } from '../../platform/nearest-name';
import { ConfigError } from '../../platform/start-error';
import type { Config, ConfiguredBackend } from './config';
import { readNamedFile } from './secret-files';

/** The prefix of variables with a backend's id that name the authority for its certificates. */
export const AUTHORITY_PREFIX = 'LOCKYARD_TLS_CA_';

type Stores = Pick<Config, 'database' | 'backends'>;

/** The URLs of all stores, each with the file of its certificate authority, if configured. */
export function withAuthorities(
  env: Record<string, string | undefined>,
  { database, backends }: Stores,
): Stores {
  const files = new Map<string, string>();
  const ids = ['default', ...backends.map(({ id }) => id)];
  for (const [name, file] of Object.entries(env)) {
    if (!name.startsWith(AUTHORITY_PREFIX) || !file) continue;
    const id = name.slice(AUTHORITY_PREFIX.length).toLowerCase();
    if (!ids.includes(id)) {
      const suggestion = AUTHORITY_PREFIX + nearestName(id, ids).toUpperCase();
      throw new ConfigError(`${name} belongs to no backend. Did you mean ${suggestion}?`);
    }
    if (files.has(id)) {
      throw new ConfigError(`${name}: the authority of the backend "${id}" is named twice.`);
    }
    requireCertificate(name, file);
    files.set(id, file);
  }
  const trusted = (id: string, url: BackendUrl): BackendUrl => {
    const file = files.get(id);
    return file === undefined ? url : urlWith(id, url, file);
  };
  return {
    database: trusted('default', database) as DatabaseUrl,
    backends: backends.map((backend): ConfiguredBackend => {
      const { id } = backend;
      if (!backend.shards) return { id, url: trusted(id, backend.url) };
      const each = (shard: Shard): Shard => {
        const url = trusted(id, { kind: 'mysql', url: shard.url });
        return { ...shard, url: url.kind === 'mysql' ? url.url : shard.url };
      };
      const { shards, leaving, fingerprint } = backend.shards;
      return {
        id,
        shards: { fingerprint, shards: shards.map(each), leaving: leaving.map(each) },
      };
    }),
  };
}

function urlWith(id: string, url: BackendUrl, file: string): BackendUrl {
  if (url.kind === 'zookeeper' && url.tls) return { ...url, tls: { authorityFile: file } };
  if ((url.kind === 'mysql' || url.kind === 'redis') && speaksTls(url.url)) {
    return { ...url, url: withAuthority(url.url, file) };
  }
  throw new ConfigError(
    `${AUTHORITY_PREFIX}${id.toUpperCase()} is set, but its backend is not reached with TLS: ` +
      'its URL must begin with mysqls:, rediss: or zookeepers:.',
  );
}

function requireCertificate(name: string, file: string): void {
  const text = readNamedFile(name, file);
  try {
    new X509Certificate(text);
  } catch {
    throw new ConfigError(`${name} must name a file that holds a certificate in PEM.`);
  }
}
