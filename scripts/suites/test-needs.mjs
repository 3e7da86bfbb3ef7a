import { spawnSync } from 'node:child_process';
import { galeraProvider } from '../servers/galera-provider.mjs';
import { mariadbIsInstalled } from '../servers/private-mariadb.mjs';
import { redisIsInstalled } from '../servers/private-redis.mjs';
import { zookeeperIsInstalled } from '../servers/private-zookeeper.mjs';
import { ensureSystemPackages, unmetNeeds } from '../system/ensure-system-packages.mjs';
import { chromiumPath, findProgram } from '../system/find-program.mjs';

/**
 * The servers that tests and bench use.
 *
 * @param prefix the prefix of the variables that may name an existing server
 */
const storesNamed = (prefix) => [
  {
    what: 'MariaDB',
    isInstalled: mariadbIsInstalled,
    debianPackage: 'mariadb-server',
    variable: `${prefix}_MYSQL_URL`,
  },
  {
    what: 'Redis',
    isInstalled: redisIsInstalled,
    debianPackage: 'redis-server',
    variable: `${prefix}_REDIS_URL`,
  },
  {
    what: 'ZooKeeper',
    isInstalled: zookeeperIsInstalled,
    debianPackage: 'zookeeper',
    variable: `${prefix}_ZOOKEEPER_URL`,
  },
];
const testStores = storesNamed('TEST');
const [mariadb] = testStores;
const chromium = {
  what: 'Chromium',
  isInstalled: () => chromiumPath() !== null,
  debianPackage: 'chromium-headless-shell',
  otherPackage: 'chromium',
  variable: 'CHROMIUM_PATH',
};

/** The API guide has examples in these languages, which tests run. */
const python = {
  what: 'Python 3',
  isInstalled: () => findProgram(['python3']) !== null,
  debianPackage: 'python3',
};
const java = {
  what: 'a JDK of Java 17 or newer',
  isInstalled: () => javaVersion() >= 17,
  debianPackage: 'default-jdk-headless',
};

/** The compilers and interpreters of our clients. */
const clientLanguages = [
  { ...python, suites: ['client/other-languages', 'test/clients', 'test/installing'] },
  { ...java, suites: ['client/other-languages', 'test/clients'] },
  {
    what: 'Go',
    isInstalled: () => findProgram(['go']) !== null,
    debianPackage: 'golang-go',
    suites: ['test/clients', 'test/installing', 'test/traces'],
  },
  {
    what: 'Maven',
    isInstalled: () => findProgram(['mvn']) !== null,
    debianPackage: 'maven',
    suites: ['test/clients'],
  },
];

/** The proxies for which the docs have a configuration. */
const proxies = [
  ['nginx', 'nginx-light', 'behind-a-proxy'],
  ['haproxy', 'haproxy', 'behind-a-proxy', 'test/high-availability', 'test/installing'],
  ['caddy', 'caddy', 'behind-a-proxy'],
].map(([program, debianPackage, ...suites]) => ({
  what: program,
  isInstalled: () => findProgram([program]) !== null,
  debianPackage,
  suites,
}));

/** The programs that scrape metrics and receive alerts. */
const monitoringTools = [
  {
    what: 'Prometheus with promtool',
    isInstalled: () => findProgram(['prometheus']) !== null && findProgram(['promtool']) !== null,
    debianPackage: 'prometheus',
    suites: ['test/prometheus', 'test/foreign-tools'],
  },
  {
    what: 'Alertmanager',
    isInstalled: () => findProgram(['prometheus-alertmanager', 'alertmanager']) !== null,
    debianPackage: 'prometheus-alertmanager',
    suites: ['test/prometheus'],
  },
];

/** With it several MariaDB servers form a cluster. */
const galera = {
  what: 'Galera',
  isInstalled: () => galeraProvider() !== null,
  debianPackage: 'galera-4',
  suites: ['mysql/galera'],
};

/** The programs that read the files in `deploy`. */
const deployTools = [
  {
    what: 'systemd-analyze',
    isInstalled: () => findProgram(['systemd-analyze']) !== null,
    debianPackage: 'systemd',
    suites: ['test/installing'],
  },
  {
    what: 'pip',
    isInstalled: pipIsInstalled,
    debianPackage: 'python3-pip',
    suites: ['test/installing'],
  },
];
const openssl = {
  what: 'OpenSSL',
  isInstalled: () => findProgram(['openssl']) !== null,
  debianPackage: 'openssl',
};

function pipIsInstalled() {
  const found = findProgram(['python3']);
  return found !== null && spawnSync(found, ['-m', 'pip', '--version']).status === 0;
}

/** The major version of the installed compiler; 0 if there is none. */
function javaVersion() {
  const javac = findProgram(['javac']);
  if (!javac) return 0;
  const { stdout } = spawnSync(javac, ['-version'], { encoding: 'utf8' });
  return Number(/javac (\d+)/.exec(stdout)?.[1] ?? 0);
}

/**
 * Every store, with the `prefix` of its variable: one that the environment names is not started and
 * need not be installed.
 */
export const ensureStores = (prefix, say) =>
  ensureSystemPackages(
    storesNamed(prefix).filter(({ variable }) => !process.env[variable]),
    say,
  );
export const ensureChromium = (say) => ensureSystemPackages([chromium], say);
export const ensureBrowserTestNeeds = (say) => ensureSystemPackages([mariadb, chromium], say);
export const ensureAllTestNeeds = (say) =>
  ensureSystemPackages([...testStores, chromium, python, java, openssl], say);

/**
 * Installs what only some of the long suites need. Returns the suites whose needs cannot be met
 * here, each as `{ suite, why }`.
 */
export async function ensureLongTestNeeds(say) {
  await ensureSystemPackages([openssl], say);
  const needs = [...proxies, ...monitoringTools, galera, ...clientLanguages, ...deployTools];
  const unmet = await unmetNeeds(needs, say);
  const left = [...new Set(unmet.flatMap(({ suites }) => suites))];
  return left.map((suite) => {
    const wanted = unmet.filter(({ suites }) => suites.includes(suite));
    const names = wanted.map(({ what, debianPackage }) => `${what} (package ${debianPackage})`);
    return { suite, why: `needs ${names.join(' and ')}` };
  });
}
