import { rmSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { Installation } from '../backup/testing/backup-rig';
import { buildCommandLine, type CommandLine } from '../backup/testing/command-line';
import { listAudit } from '../operations/audit/list-audit';

let commandLine: CommandLine;
beforeAll(async () => {
  commandLine = await buildCommandLine('server/cli/cli.ts', { isReal: true });
});

describe.each(TEST_DIALECTS)('a reset of the secret over %s', (dialect) => {
  /** What only a process of its own shows is the same over each database. */
  const where = dialect === 'sqlite' ? 'process' : 'command';
  let home: Installation;
  beforeEach(async () => {
    home = await Installation.make(dialect, commandLine);
  });
  afterEach(() => home.remove());

  const start = () => home.serve(async ({ runtime }) => runtime.secret);

  test('lets an installation whose secret is lost start again, with a new one', async () => {
    const lost = await start();
    rmSync(home.file('secret'));
    await expect(start()).rejects.toThrow('another secret');

    const reset = await home[where](['secret', 'reset']);
    expect(reset).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^The secret is forgotten/),
    });
    const secret = await start();
    expect(secret).not.toBe(lost);
    await home.serve(async ({ runtime, cli }) => {
      expect(runtime.secret).toBe(secret);
      const { rows } = await listAudit(cli, { limit: 1 });
      expect(rows).toMatchObject([{ act: 'secret.reset', outcome: 'done' }]);
    });
  });

  test('is refused while a server runs, and creates no database', async () => {
    await home.serve(async () => {
      const { code, err } = await home[where](['secret', 'reset']);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/^A Lockyard server is running on this database\./),
      ]);
    });
    const empty = await Installation.makeEmpty(dialect, commandLine);
    const { code, err } = await empty.command(['secret', 'reset', '--json']);
    expect([code, err]).toEqual([1, expect.stringContaining('There is no database yet')]);
    await empty.remove();
  });
});
