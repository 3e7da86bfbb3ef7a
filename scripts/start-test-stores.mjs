import { startPrivateMariadb } from './private-mariadb.mjs';
import { startPrivateRedis } from './private-redis.mjs';
import { startPrivateZookeeper } from './private-zookeeper.mjs';

/** What the tests find their servers by, and how one is started where the environment names none. */
const STORES = {
  TEST_MYSQL_URL: () => startPrivateMariadb({ durable: false }),
  TEST_REDIS_URL: () => startPrivateRedis(),
  TEST_ZOOKEEPER_URL: () => startPrivateZookeeper(),
};

/** Answers the URLs of all servers by their variables, and `stop`, which ends those that were started. */
export async function startTestStores() {
  const started = [];
  const urls = {};
  const stop = async () => {
    for (const server of started) await server.stop();
  };
  try {
    for (const [variable, start] of Object.entries(STORES)) {
      urls[variable] = process.env[variable];
      if (urls[variable]) continue;
      const server = await start();
      started.push(server);
      urls[variable] = server.url;
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...urls, stop };
}
