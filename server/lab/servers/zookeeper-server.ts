import { type Client, createClient } from 'node-zookeeper-client';
import { parseZookeeperUrl, type ZookeeperUrl } from '@/db/urls/zookeeper-url';

const CONNECT_TIMEOUT_MS = 5_000;
const SESSION_TIMEOUT_MS = 10_000;

export function parseZookeeper(url: string): ZookeeperUrl {
  const place = parseZookeeperUrl(url);
  if (typeof place === 'string') throw new Error(`The URL of ZooKeeper ${place}.`);
  return place;
}

/** `host:port` of each server, separated by commas. */
export const zookeeperAddress = (url: string) =>
  parseZookeeper(url)
    .servers.map(({ host, port }) => `${host.toLowerCase()}:${port}`)
    .join(',');

/** Opens a session at the root. The path of the URL is ignored. */
export async function connectZookeeper(url: string): Promise<Client> {
  const { servers, credentials } = parseZookeeper(url);
  const client = createClient(servers.map(({ host, port }) => `${host}:${port}`).join(','), {
    sessionTimeout: SESSION_TIMEOUT_MS,
    spinDelay: 100,
    retries: 0,
  });
  if (credentials) client.addAuthInfo('digest', Buffer.from(credentials));
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => {
      client.close();
      reject(new Error('no session in time'));
    }, CONNECT_TIMEOUT_MS);
    client.once('connected', () => {
      clearTimeout(late);
      resolve();
    });
    client.connect();
  });
  return client;
}

export function childrenOf(client: Client, path: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    client.getChildren(path, (error, names) => (error ? reject(error) : resolve(names)));
  });
}
