import { expect, test } from 'vitest';
import { catalogue } from '@/server/strategies/catalogue';
import { evaluateEntries } from './evaluate-entries';
import { evaluateServers } from './evaluate-servers';
import { readyServers } from './ready-servers';
import type { Asked, FoundServers, MysqlFacts, RedisFacts } from './server-facts';

const mysqlFacts: MysqlFacts = {
  version: '11.8.6-MariaDB',
  identity: 'hostname=db port=3306',
  account: 'lab@%',
  mayCreate: true,
  leftBehind: [],
};
const redisFacts: RedisFacts = {
  version: '8.0.2',
  identity: 'run-1',
  role: 'master',
  isCluster: false,
  evictionPolicy: 'noeviction',
};
const at = <Facts>(address: string, facts: Facts): Asked<Facts> => ({
  address,
  answers: true,
  facts,
});
const found = (facts: Partial<RedisFacts> = {}): FoundServers => ({
  mysql: at('db:3306', mysqlFacts),
  redis: [at('cache:6379', { ...redisFacts, ...facts })],
  zookeeper: at('zk:2181', { version: '3.9.3' }),
});
const NONE = { addresses: [], identities: [] };

const stateOf = (name: string, servers: ReturnType<typeof evaluateServers>) => {
  const { state, advice } = servers.find((each) => each.name === name) ?? {};
  return { state, advice };
};

test('servers that answer and may be used are ready', () => {
  const servers = evaluateServers(found(), NONE, false);
  expect(servers.filter(({ state }) => state === 'ready').map(({ name }) => name)).toEqual([
    'MySQL',
    'Redis',
    'ZooKeeper',
  ]);
});

test('what is missing is listed with the variable that adds it', () => {
  const servers = evaluateServers({ redis: [] }, NONE, false);
  expect(servers.map(({ state }) => state)).toEqual(Array(5).fill('missing'));
  expect(stateOf('MySQL', servers).advice).toContain('LOCKYARD_LAB_MYSQL_URL=mysql://');
  expect(stateOf('Redis', servers).advice).toContain('LOCKYARD_LAB_REDIS_URL=redis://');
  expect(stateOf('Redis 3', servers).advice).toContain('separated by commas');
  expect(stateOf('ZooKeeper', servers).advice).toContain('LOCKYARD_LAB_ZOOKEEPER_URL=zookeeper://');
});

test('a Redis that evicts is refused, with the command that changes it', () => {
  const { state, advice } = stateOf(
    'Redis',
    evaluateServers(found({ evictionPolicy: 'allkeys-lru' }), NONE, false),
  );
  expect(state).toBe('refused');
  expect(advice).toMatch(/allkeys-lru.*CONFIG SET maxmemory-policy noeviction/);
});

test.each<[Partial<RedisFacts>, RegExp]>([
  [{ isCluster: true }, /cluster/],
  [{ role: 'slave' }, /replica/],
])('a Redis that is not one plain server is refused: %j', (facts, why) => {
  expect(stateOf('Redis', evaluateServers(found(facts), NONE, false))).toEqual({
    state: 'refused',
    advice: expect.stringMatching(why),
  });
});

test('one Redis under two addresses is not a quorum', () => {
  const [first] = found().redis;
  const servers = evaluateServers(
    { redis: [first as Asked<RedisFacts>, at('alias:6379', redisFacts)] },
    NONE,
    false,
  );
  expect(stateOf('Redis 2', servers)).toEqual({
    state: 'refused',
    advice: expect.stringContaining('same server'),
  });
});

test('a user without the right to create databases is shown the grant', () => {
  const mysql = at('db:3306', { ...mysqlFacts, mayCreate: false });
  expect(stateOf('MySQL', evaluateServers({ ...found(), mysql }, NONE, false))).toEqual({
    state: 'refused',
    advice: expect.stringContaining("GRANT ALL ON `lockyard\\_lab\\_%`.* TO 'lab'@'%';"),
  });
});

test('a user without the right to drop databases is shown how to drop those it has left', () => {
  const leftBehind = ['lockyard_lab_probe01', 'lockyard_lab_probe02'];
  const mysql = at('db:3306', { ...mysqlFacts, mayCreate: false, leftBehind });
  const { advice } = stateOf('MySQL', evaluateServers({ ...found(), mysql }, NONE, false));
  expect(advice).toMatch(/not drop them: this check has left some\. As an administrator/);
  expect(advice).toMatch(
    /: DROP DATABASE lockyard_lab_probe01; DROP DATABASE lockyard_lab_probe02; GRANT ALL ON /,
  );
});

test.each([
  ['MySQL', { addresses: ['db:3306'], identities: [] }],
  ['MySQL', { addresses: [], identities: ['hostname=db port=3306'] }],
  ['Redis', { addresses: ['cache:6379'], identities: [] }],
  ['Redis', { addresses: [], identities: ['run-1'] }],
  ['ZooKeeper', { addresses: ['zk:2181'], identities: [] }],
])('a backend of this Lockyard is refused unless that is allowed: %s %j', (name, marks) => {
  expect(stateOf(name, evaluateServers(found(), marks, false))).toEqual({
    state: 'refused',
    advice: expect.stringContaining('LOCKYARD_LAB_ON_BACKENDS=yes'),
  });
  expect(stateOf(name, evaluateServers(found(), marks, true)).state).toBe('ready');
});

test('one server of several of a ZooKeeper is enough to recognise a backend', () => {
  const zookeeper = at('a:2181,b:2181', { version: null });
  const marks = { addresses: ['b:2181'], identities: [] };
  expect(stateOf('ZooKeeper', evaluateServers({ ...found(), zookeeper }, marks, false)).state).toBe(
    'refused',
  );
});

test('an unavailable backend is recognised by its address, and never reported as usable', () => {
  const mysql: Asked<MysqlFacts> = {
    address: 'db:3306',
    answers: false,
    why: 'nothing listens there',
  };
  const servers = evaluateServers({ ...found(), mysql }, NONE, false);
  expect(stateOf('MySQL', servers)).toEqual({
    state: 'away',
    advice: 'It cannot be used: nothing listens there.',
  });
  const marks = { addresses: ['db:3306'], identities: [] };
  expect(stateOf('MySQL', evaluateServers({ ...found(), mysql }, marks, false)).state).toBe(
    'refused',
  );
});

test('on embedded SQLite alone the wrong ways, 9, 10, 19 and the service can run', () => {
  const runnable = evaluateEntries(catalogue, {}).filter(({ lacks }) => lacks === null);
  expect(runnable.map(({ id }) => id)).toEqual([
    'value-written-back',
    'checked-in-memory',
    'mutex-before-commit',
    'holder-table-lock',
    'bounded-table-counter',
    'optimistic-version',
    'service-lock',
    'service-counter',
  ]);
  expect(runnable.every(({ servers }) => servers === 'embedded SQLite')).toBe(true);
});

test('with all servers every entry can run; with one Redis all but the quorum', () => {
  const all = {
    mysql: 'mysql://db',
    redis: ['redis://a', 'redis://b', 'redis://c'],
    zookeeper: 'z',
  };
  expect(evaluateEntries(catalogue, all).filter(({ lacks }) => lacks !== null)).toEqual([]);
  const lacking = evaluateEntries(catalogue, { ...all, redis: ['redis://a'] });
  expect(lacking.filter(({ lacks }) => lacks !== null).map(({ id }) => id)).toEqual([
    'quorum-lock',
  ]);
});

test('a race is given only servers that are ready', () => {
  const servers = { mysql: 'mysql://db', redis: ['redis://cache'], zookeeper: 'zookeeper://zk' };
  const judge = (marks = NONE, facts: Partial<RedisFacts> = {}) =>
    readyServers(servers, evaluateServers(found(facts), marks, false));
  expect(judge()).toEqual(servers);
  expect(judge({ addresses: ['db:3306'], identities: [] } as never)).toEqual({
    redis: ['redis://cache'],
    zookeeper: 'zookeeper://zk',
  });
  expect(judge(NONE, { evictionPolicy: 'allkeys-lfu' })).toEqual({
    mysql: 'mysql://db',
    zookeeper: 'zookeeper://zk',
  });
});
