import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';

import { TcpProxy } from '@/test/tcp-proxy';
import { systemClock } from '../platform/clock';
import { createScratchDatabase } from '../storage/conformance/testing/stores-under-test';
import { printSetupLink } from './print-setup-link';

test('a control database that is unavailable delays the setup link, not the server', async () => {
  const scratch = await createScratchDatabase(process.env.TEST_MYSQL_URL ?? '');
  const url = new URL(scratch.url);
  const proxy = await TcpProxy.start(url.hostname, Number(url.port));
  url.port = String(proxy.port);
  const database = await openDatabase({ kind: 'mysql', url: url.href });
  try {
    await migrate(database);
    proxy.refuse();
    const [said, logged]: [string[], string[]] = [[], []];
    const log = pino({}, { write: (line: string) => void logged.push(line) });
    const say = (line: string) => void said.push(line);
    const stop = printSetupLink({ database, clock: systemClock, log }, 'http://here', say);
    await vi.waitFor(() => expect(logged).toHaveLength(1), 10_000);
    expect(said).toEqual([]);
    proxy.open();
    await vi.waitFor(() => expect(said.join()).toContain('http://here/setup?token='), 10_000);
    expect(logged.join()).toContain('create the setup link');
    stop();
  } finally {
    await database.close();
    await proxy.close();
    await scratch.drop();
  }
});
