import { mysqlServerKind } from './mysql-server-under-test';
import { redisServerKind } from './redis-server-under-test';
import type { ServerKind } from './server-kind';
import { shardsServerKind } from './shards-server-under-test';
import { sqliteServerKind } from './sqlite-server-under-test';
import { zookeeperServerKind } from './zookeeper-server-under-test';

/**
 * Every kind of store that has bad days, by the scheme of its URL.
 *
 * To add one: a file beside this one that exports its `ServerKind`, its line here, and its test
 * beside those in `bad-days`. `start` begins a private server (`scripts/servers/private-….mjs`),
 * with a `TcpProxy` before it that `open` goes through and `truth` does not. `begin` knows how each
 * day comes: signals to the server, `cutReplies` and `garble` of the proxy, and some real way to
 * fill it.
 */
export const serversUnderTest = {
  sqlite: sqliteServerKind,
  mysql: mysqlServerKind,
  'sharded mysql': shardsServerKind,
  redis: redisServerKind,
  zookeeper: zookeeperServerKind,
} satisfies Record<string, ServerKind>;

export type ServerName = keyof typeof serversUnderTest;
