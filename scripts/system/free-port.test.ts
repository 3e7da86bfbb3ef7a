import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { anyPort, freePort } from './free-port.mjs';

const RANGE = '/proc/sys/net/ipv4/ip_local_port_range';

it.skipIf(!existsSync(RANGE))(
  'a free port is none of those that the system gives to others, also while its server is down',
  async () => {
    const lowest = Number.parseInt(readFileSync(RANGE, 'utf8'), 10);
    for (let i = 0; i < 20; i += 1) expect(await freePort()).toBeLessThan(lowest);
  },
);

it('a port is given once, though its server has not started yet', async () => {
  const given = await freePort();
  const chosen = [given, given];
  const next = await freePort(() => chosen.shift() ?? anyPort());
  expect(next).not.toBe(given);
});
