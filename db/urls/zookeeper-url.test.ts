import { expect, it } from 'vitest';
import { describeBackendUrl, parseBackendUrl } from './backend-url';
import { parseZookeeperUrl, zookeeperLocation } from './zookeeper-url';

it('names one server or several, with or without a port, a user and a path', () => {
  expect(parseZookeeperUrl('zookeeper://zk1')).toEqual({
    kind: 'zookeeper',
    servers: [{ host: 'zk1', port: 2181 }],
    credentials: null,
    root: '/lockyard',
  });
  expect(
    parseZookeeperUrl('ZooKeeper://orders:p%40ss%2Fw@zk1:2182,[::1]:7,zk3/teams/orders/'),
  ).toEqual({
    kind: 'zookeeper',
    servers: [
      { host: 'zk1', port: 2182 },
      { host: '::1', port: 7 },
      { host: 'zk3', port: 2181 },
    ],
    credentials: 'orders:p@ss/w',
    root: '/teams/orders',
  });
});

it.each([
  'zookeeper:zk1',
  'zookeeper://',
  'zookeeper:///lockyard',
  'zookeeper://zk1:0',
  'zookeeper://zk1:65536',
  'zookeeper://zk1,,zk2',
  'zookeeper://zk1?timeout=1',
  'zookeeper://user@zk1',
  'zookeeper://user:@zk1',
  'zookeeper://a%3Ab:c@zk1',
  'zookeeper://user:%zz@zk1',
  'zookeeper://zk1/a/../b',
  'zookeeper://zk1/a//b',
  'zookeeper://zk1/zookeeper/quota',
  'zookeeper://zk1/a b',
])('says what is wrong with %s', (text) => {
  expect(parseBackendUrl(text, '/')).toMatch(/^(is|must) /);
});

it('is shown without its password, and is one location for any user and order of servers', () => {
  const url = parseBackendUrl('zookeeper://orders:secret@b:1,a:2/x', '/');
  const other = parseZookeeperUrl('zookeeper://a:2,b:1/x');
  if (typeof url === 'string' || url.kind !== 'zookeeper' || typeof other === 'string') {
    throw new Error('A good URL was refused.');
  }
  expect(describeBackendUrl(url)).toBe('ZooKeeper at a:2,b:1/x');
  expect(zookeeperLocation(url)).toBe(zookeeperLocation(other));
  expect(url.servers).toEqual([
    { host: 'b', port: 1 },
    { host: 'a', port: 2 },
  ]);
});
