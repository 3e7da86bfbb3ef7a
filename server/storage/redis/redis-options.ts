import type { RedisOptions } from 'ioredis';
import { tlsOf } from '@/db/urls/server-tls';

const PORT = 6379;

/** The driver's options for a `redis:` or `rediss:` URL: nothing but these. */
export function redisOptions(text: string) {
  const { hostname, port, username, password, pathname } = new URL(text);
  const tls = tlsOf(text);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || PORT),
    db: Number(pathname.slice(1)),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(tls ? { tls } : {}),
  } satisfies RedisOptions;
}
