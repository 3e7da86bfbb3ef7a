import { existsSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { checkBackup } from './restore-backup';
import { Installation, longText } from './testing/backup-rig';
import { buildCommandLine, type CommandLine } from './testing/command-line';

const ROWS = 60;
const MANY_ROWS = 600;
const ROWS_AT_ONCE = 20;
const TRIES = process.env.TEST_LONG === '1' ? 16 : 2;

let commandLine: CommandLine;
beforeAll(async () => {
  commandLine = await buildCommandLine();
});

describe.each(TEST_DIALECTS)('on %s a kill at any moment', (dialect) => {
  let home: Installation;
  /** How long a restore and a backup take here. */
  const tookMs = { backup: 0, restore: 0 };
  beforeAll(async () => {
    home = await Installation.make(dialect, commandLine);
    await grow('big', ROWS);
    await home.serve((server) => server.take());
    for (const words of [['backup'], ['restore', '--replace']] as const) {
      const since = performance.now();
      const [verb, ...options] = words;
      const ended = await home.process([verb, home.file(), ...options]);
      expect(ended).toMatchObject({ code: 0 });
      tookMs[verb] = performance.now() - since;
    }
  });
  afterAll(() => home.remove());

  /** Makes the backup larger. */
  const grow = (name: string, rows: number) =>
    home.serve(async ({ runtime: { database } }) => {
      const { settings } = database.tables;
      for (let first = 0; first < rows; first += ROWS_AT_ONCE) {
        const some = Array.from({ length: ROWS_AT_ONCE }, (_, i) => ({
          id: `${name} ${first + i}`,
          value: longText(50_000),
          changedAt: 1,
        }));
        await database.db.insert(settings).values(some);
      }
    });

  /** Points in time from the start of the program until shortly after its usual end. */
  const moments = (usualMs: number) =>
    Array.from({ length: TRIES }, (_, i) => Math.round(usualMs * (0.3 + (0.8 * i) / TRIES)));

  test('of a restore leaves the database as it was, or completely restored', async () => {
    let after = await home.contents();
    for (const killAfterMs of moments(tookMs.restore)) {
      const before = after;
      await home.process(['restore', home.file(), '--replace'], { killAfterMs });
      after = await home.contents();
      const isUndone = JSON.stringify(after) === JSON.stringify(before);
      if (isUndone) continue;
      expect(epochOf(after)).toBe(epochOf(before) + 1);
      expect(after.settings).toEqual(before.settings);
      expect(after.audit).toHaveLength((before.audit ?? []).length);
      expect(after.locks).toHaveLength((before.locks ?? []).length);
    }
  });

  test('of a backup leaves no file under its name, or a complete one', async () => {
    const file = home.file('killed.gz');
    for (const killAfterMs of moments(tookMs.backup)) {
      await home.process(['backup', file], { killAfterMs });
      if (existsSync(file)) expect(await checkBackup(file, dialect)).toMatchObject({ file });
      rmSync(file, { force: true });
    }
  });

  test('with SIGTERM leaves nothing of a backup behind', async () => {
    // It lasts longer than a busy machine takes to check.
    await grow('bigger', MANY_ROWS);
    const endWhen = () => home.leftovers().some((name) => /ended\.gz.*part$/.test(name));
    const { code, err } = await home.process(['backup', home.file('ended.gz')], { endWhen });
    expect([code, err]).toEqual([1, expect.stringMatching(/^[^\n]*interrupted\.\n$/)]);
    const others = home.leftovers().filter((name) => !name.includes('killed.gz'));
    expect(others).toEqual(['backup.gz']);
  });
});

/** The epoch of the default backend; the first columns are id and epoch. */
const epochOf = ({ backends = [] }: Record<string, unknown[][]>) => Number(backends[0]?.[1]);
