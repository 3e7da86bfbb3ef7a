import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MysqlStore } from '@/server/storage/mysql/mysql-store';
import { TcpProxy } from '@/test/tcp-proxy';
import { migrate } from '../migrate';
import { openDatabase } from '../open-database';
import { newTestLocation, TEST_DIALECTS, type TestLocation } from '../testing/test-database';

/** The file in which Linux lists the connections. */
const CONNECTIONS = '/proc/net/tcp';
const ESTABLISHED = '01';
const KEEP_ALIVE = '02';
const TICKS_PER_S = 100;

/** The seconds until each idle connection to a port is next probed. */
function nextChecks(port: number): (number | null)[] {
  const lines = readFileSync(CONNECTIONS, 'utf8').trim().split('\n').slice(1);
  return lines.flatMap((line) => {
    const [, , remote = '', state, , timer = ''] = line.trim().split(/\s+/);
    if (state !== ESTABLISHED || Number.parseInt(remote.split(':')[1] ?? '', 16) !== port)
      return [];
    const [kind, ticks = ''] = timer.split(':');
    return [kind === KEEP_ALIVE ? Number.parseInt(ticks, 16) / TICKS_PER_S : null];
  });
}

const mayTest = TEST_DIALECTS.includes('mysql') && existsSync(CONNECTIONS);

describe.skipIf(!mayTest)('an idle connection to MySQL', () => {
  let place: TestLocation;
  let line: TcpProxy;
  let url: string;
  beforeAll(async () => {
    place = await newTestLocation('mysql');
    const through = new URL(place.url.kind === 'mysql' ? place.url.url : '');
    line = await TcpProxy.start(through.hostname, Number(through.port || 3306));
    through.hostname = '127.0.0.1';
    through.port = String(line.port);
    url = through.href;
  });
  afterAll(async () => {
    await line.close();
    await place.remove();
  });

  test('is kept alive, so that no firewall drops it: control database and store', async () => {
    const database = await openDatabase({ kind: 'mysql', url });
    await migrate(database);
    const store = new MysqlStore(url);
    await store.read([{ namespace: 'default', name: 'job' }], []);
    await vi.waitFor(() => {
      const checks = nextChecks(line.port);
      expect(checks).toHaveLength(2);
      for (const seconds of checks) expect(seconds).toBeLessThanOrEqual(30);
      expect(checks).not.toContain(null);
    }, 10_000);
    await store.close();
    await database.close();
  });
});
