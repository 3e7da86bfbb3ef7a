import { expect, it } from 'vitest';
import { parseZookeeperUrl } from '@/db/zookeeper-url';
import { freePort } from '@/scripts/free-port.mjs';
import { zookeeperGuarantees } from './zookeeper-guarantees';

const running = () => {
  const url = parseZookeeperUrl(process.env.TEST_ZOOKEEPER_URL ?? '');
  if (typeof url === 'string') throw new Error('TEST_ZOOKEEPER_URL must name a ZooKeeper.');
  return url.servers.map((server) => ({ ...server, credentials: null }));
};

it('a ZooKeeper is Timed, for its clock, and says its version and that it is alone', async () => {
  const { level, reasons, settings, unsafe } = await zookeeperGuarantees(running());
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

it('a server that is away is complained of; where all are away nothing is told', async () => {
  const away = { host: '127.0.0.1', port: await freePort(), credentials: null };
  const { settings } = await zookeeperGuarantees([...running(), away]);
  const [first] = running();
  expect(settings).toContainEqual(
    expect.objectContaining({ name: `${first?.host}:${first?.port} Mode` }),
  );
  expect(settings).toContainEqual({
    name: `127.0.0.1:${away.port}`,
    value: 'not there',
    complaint: 'This server is not there.',
  });
  await expect(zookeeperGuarantees([away])).rejects.toMatchObject({ applied: 'no' });
});

it('several servers of which one belongs to no ensemble are unsafe', async () => {
  const [server] = running();
  if (!server) throw new Error('There is no server.');
  const { level, reasons, unsafe } = await zookeeperGuarantees([server, server]);
  expect(level).toBe('Best-effort');
  expect(unsafe).toMatch(/belongs to no ensemble/);
  expect(reasons[0]).toBe(unsafe);
});
