import { expect, it } from 'vitest';
import { parseZookeeperUrl } from '@/db/urls/zookeeper-url';
import { freePort } from '@/scripts/system/free-port.mjs';
import { readZookeeperFacts, type ZookeeperFacts } from './zookeeper-facts';
import { zookeeperGuarantees } from './zookeeper-guarantees';

const running = () => {
  const url = parseZookeeperUrl(process.env.TEST_ZOOKEEPER_URL ?? '');
  if (typeof url === 'string') throw new Error('TEST_ZOOKEEPER_URL must name a ZooKeeper.');
  return url.servers.map((server) => ({ ...server, credentials: null }));
};

it('a ZooKeeper is Timed due to its clock, and reports version and standalone mode', async () => {
  const { level, reasons, settings, unsafe } = zookeeperGuarantees(
    await readZookeeperFacts(running()),
  );
  expect(level).toBe('Timed');
  expect(reasons[0]).toContain('clock');
  expect(unsafe).toBe(null);
  const settingOf = (name: string) => settings.find((setting) => setting.name === name);
  expect(settingOf('Zookeeper version')?.value).toMatch(/^3\.\d+\.\d+/);
  expect(settingOf('Mode')).toMatchObject({
    value: 'standalone',
    complaint: expect.stringContaining('no other'),
  });
  expect(settingOf('tickTime')?.value).toMatch(/^\d+$/);
});

it('an unreachable server is reported; if all are unreachable nothing is', async () => {
  const away = { host: '127.0.0.1', port: await freePort(), credentials: null };
  const { settings } = zookeeperGuarantees(await readZookeeperFacts([...running(), away]));
  const [first] = running();
  expect(settings).toContainEqual(
    expect.objectContaining({ name: `${first?.host}:${first?.port} Mode` }),
  );
  expect(settings).toContainEqual({
    name: `127.0.0.1:${away.port}`,
    value: 'unreachable',
    complaint: 'This server cannot be reached.',
  });
  const none = await readZookeeperFacts([away]);
  expect(() => zookeeperGuarantees(none)).toThrow('No ZooKeeper server reports');
});

it('several servers of which one belongs to no ensemble are unsafe', async () => {
  const [server] = running();
  if (!server) throw new Error('There is no server.');
  const { level, reasons, unsafe } = zookeeperGuarantees(
    await readZookeeperFacts([server, server]),
  );
  expect(level).toBe('Best-effort');
  expect(unsafe).toMatch(/belongs to no ensemble/);
  expect(reasons[0]).toBe(unsafe);
});

const ABC = ['a:2888:3888', 'b:2888:3888', 'c:2888:3888'];
const DEF = ['d:2888:3888', 'e:2888:3888', 'f:2888:3888'];

/** The answers of a server of version 3.8; without members it is not allowed to list them. */
function server(mode: string, members: string[] | null): ZookeeperFacts {
  const list = members?.map((member, i) => `server.${i + 1}=${member}:participant;0.0.0.0:2181`);
  const conf = list
    ? ['tickTime=2000', 'membership: ', ...list, 'version=0'].join('\n')
    : 'not allowed';
  return {
    name: 'zk:2181',
    srvr: `Zookeeper version: 3.8.0-5a\nMode: ${mode}\nNode count: 5`,
    conf,
  };
}

it.each<[string, ZookeeperFacts[], isSafe: boolean]>([
  ['one leads the others', [server('leader', ABC), server('follower', ABC)], true],
  [
    'another one takes the lead',
    [server('leader', ABC), server('leader', [...ABC].reverse())],
    true,
  ],
  ['one joins', [server('leader', ABC), server('follower', ABC.slice(1))], true],
  ['no server may list its members', [server('leader', null), server('follower', null)], true],
  ['two lead, of two ensembles', [server('leader', ABC), server('leader', DEF)], false],
  ['two lead that disagree', [server('leader', ABC), server('leader', ABC.slice(1))], false],
  ['two lead and may not say whom', [server('leader', null), server('leader', null)], false],
  ['they follow two ensembles', [server('follower', ABC), server('follower', DEF)], false],
])('several servers of which %s are distinguished: %#', (_, servers, isSafe) => {
  const { level, unsafe } = zookeeperGuarantees(servers);
  expect(level).toBe(isSafe ? 'Timed' : 'Best-effort');
  expect(unsafe).toEqual(isSafe ? null : expect.stringContaining('more than one ensemble'));
});
