import { spawnSync } from 'node:child_process';
import { chromiumPath } from './chromium-path.mjs';
import { ensureSystemPackages } from './ensure-system-packages.mjs';
import { findProgram } from './find-program.mjs';
import { mariadbIsInstalled } from './private-mariadb.mjs';
import { redisIsInstalled } from './private-redis.mjs';
import { zookeeperIsInstalled } from './private-zookeeper.mjs';

const mariadb = {
  what: 'MariaDB',
  isThere: mariadbIsInstalled,
  debianPackage: 'mariadb-server',
  variable: 'TEST_MYSQL_URL',
};
const redis = {
  what: 'Redis',
  isThere: redisIsInstalled,
  debianPackage: 'redis-server',
  variable: 'TEST_REDIS_URL',
};
const zookeeper = {
  what: 'ZooKeeper',
  isThere: zookeeperIsInstalled,
  debianPackage: 'zookeeper',
  variable: 'TEST_ZOOKEEPER_URL',
};
const chromium = {
  what: 'Chromium',
  isThere: () => chromiumPath() !== null,
  debianPackage: 'chromium',
  variable: 'CHROMIUM_PATH',
};

/** The API guide has examples in these languages, which are run. */
const python = {
  what: 'Python 3',
  isThere: () => findProgram(['python3']) !== null,
  debianPackage: 'python3',
};
const java = {
  what: 'a JDK of Java 17 or newer',
  isThere: () => javaVersion() >= 17,
  debianPackage: 'default-jdk-headless',
};

/** The major version of the compiler that is there; 0 where there is none. */
function javaVersion() {
  const javac = findProgram(['javac']);
  if (!javac) return 0;
  const { stdout } = spawnSync(javac, ['-version'], { encoding: 'utf8' });
  return Number(/javac (\d+)/.exec(stdout)?.[1] ?? 0);
}

export const ensureMariadb = (say) => ensureSystemPackages([mariadb], say);
/** What vitest needs: a server that the environment names is not started, so need not be installed. */
export const ensureStores = (say) =>
  ensureSystemPackages(
    [mariadb, redis, zookeeper].filter(({ variable }) => !process.env[variable]),
    say,
  );
export const ensureChromium = (say) => ensureSystemPackages([chromium], say);
export const ensureBrowserTestNeeds = (say) => ensureSystemPackages([mariadb, chromium], say);
export const ensureAllTestNeeds = (say) =>
  ensureSystemPackages([mariadb, redis, zookeeper, chromium, python, java], say);
