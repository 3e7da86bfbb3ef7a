import type { RedisOptions } from 'ioredis';

const PORT = 6379;

/** What the driver is told of a `redis:` or `rediss:` URL: nothing but these. */
export function redisOptions(text: string) {
  const { protocol, hostname, port, username, password, pathname } = new URL(text);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || PORT),
    db: Number(pathname.slice(1)),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  } satisfies RedisOptions;
}
