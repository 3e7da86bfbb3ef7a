import { spawnSync } from 'node:child_process';
import { mariadbIsInstalled } from '../servers/private-mariadb.mjs';
import { redisIsInstalled } from '../servers/private-redis.mjs';
import { zookeeperIsInstalled } from '../servers/private-zookeeper.mjs';
import { ensureSystemPackages } from '../system/ensure-system-packages.mjs';
import { chromiumPath, findProgram } from '../system/find-program.mjs';

/**
 * The servers that tests and bench use.
 *
 * @param of begins the variables that may name an existing server
 */
const storesNamed = (of) => [
  {
    what: 'MariaDB',
    isThere: mariadbIsInstalled,
    debianPackage: 'mariadb-server',
    variable: `${of}_MYSQL_URL`,
  },
  {
    what: 'Redis',
    isThere: redisIsInstalled,
    debianPackage: 'redis-server',
    variable: `${of}_REDIS_URL`,
  },
  {
    what: 'ZooKeeper',
    isThere: zookeeperIsInstalled,
    debianPackage: 'zookeeper',
    variable: `${of}_ZOOKEEPER_URL`,
  },
];
const testStores = storesNamed('TEST');
const [mariadb] = testStores;
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

/** What our clients are built and run with. */
const clientLanguages = [
  python,
  java,
  { what: 'Go', isThere: () => findProgram(['go']) !== null, debianPackage: 'golang-go' },
  { what: 'Maven', isThere: () => findProgram(['mvn']) !== null, debianPackage: 'maven' },
];

/** What the docs have a configuration for. */
const proxies = [
  ['nginx', 'nginx-light'],
  ['haproxy', 'haproxy'],
  ['caddy', 'caddy'],
].map(([program, debianPackage]) => ({
  what: program,
  isThere: () => findProgram([program]) !== null,
  debianPackage,
}));

/** What scrapes metrics and is sent alerts. */
const monitoringTools = [
  {
    what: 'Prometheus with promtool',
    isThere: () => findProgram(['prometheus']) !== null && findProgram(['promtool']) !== null,
    debianPackage: 'prometheus',
  },
  {
    what: 'Alertmanager',
    isThere: () => findProgram(['prometheus-alertmanager', 'alertmanager']) !== null,
    debianPackage: 'prometheus-alertmanager',
  },
];

/** What reads the files in `deploy`. */
const deployTools = [
  {
    what: 'systemd-analyze',
    isThere: () => findProgram(['systemd-analyze']) !== null,
    debianPackage: 'systemd',
  },
  { what: 'pip', isThere: pipIsThere, debianPackage: 'python3-pip' },
];
const openssl = {
  what: 'OpenSSL',
  isThere: () => findProgram(['openssl']) !== null,
  debianPackage: 'openssl',
};

function pipIsThere() {
  const found = findProgram(['python3']);
  return found !== null && spawnSync(found, ['-m', 'pip', '--version']).status === 0;
}

/** The major version of the compiler that is there; 0 where there is none. */
function javaVersion() {
  const javac = findProgram(['javac']);
  if (!javac) return 0;
  const { stdout } = spawnSync(javac, ['-version'], { encoding: 'utf8' });
  return Number(/javac (\d+)/.exec(stdout)?.[1] ?? 0);
}

/**
 * Every store, by variables that begin with `of`: one that the environment names is not started, so
 * need not be installed.
 */
export const ensureStores = (of, say) =>
  ensureSystemPackages(
    storesNamed(of).filter(({ variable }) => !process.env[variable]),
    say,
  );
export const ensureChromium = (say) => ensureSystemPackages([chromium], say);
export const ensureBrowserTestNeeds = (say) => ensureSystemPackages([mariadb, chromium], say);
export const ensureAllTestNeeds = (say) =>
  ensureSystemPackages([...testStores, chromium, python, java, openssl], say);
export const ensureLongTestNeeds = (say) =>
  ensureSystemPackages(
    [...proxies, openssl, ...monitoringTools, ...clientLanguages, ...deployTools],
    say,
  );
