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
 * beside those in `bad-days`. `start` starts a private server (`scripts/servers/private-….mjs`),
 * with a `TcpProxy` in front of it that `join` uses and `truth` does not. `begin` causes each bad
 * day: by signals to the server, by `cutReplies` and `garble` of the proxy, and by really filling
 * the server.
 */
export const serversUnderTest = {
  sqlite: sqliteServerKind,
  mysql: mysqlServerKind,
  'sharded mysql': shardsServerKind,
  redis: redisServerKind,
  zookeeper: zookeeperServerKind,
} satisfies Record<string, ServerKind>;

export type ServerName = keyof typeof serversUnderTest;
