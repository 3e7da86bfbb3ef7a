import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { knownMigrations, programSchemaVersion } from '@/db/schema-version';
import { openSnapshot } from '@/db/snapshot';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { appliedTo, copyMigrations, migrateBeforeLast } from '@/test/migrate-before-last';
import { Installation } from '../backup/testing/backup-rig';
import { buildCommandLine, type CommandLine } from '../backup/testing/command-line';

const CREATE_KEY = ['keys', 'create', '--name', 'orders', '--namespace', 'default', '--create'];

let commandLine: CommandLine;
let server: CommandLine;
beforeAll(async () => {
  commandLine = await buildCommandLine();
  server = await buildCommandLine('server/main.ts');
});

describe.each(TEST_DIALECTS)('an upgrade over %s', (dialect) => {
  let home: Installation;
  const folders: string[] = [];
  beforeEach(async () => {
    home = await Installation.makeEmpty(dialect, commandLine);
  });
  afterEach(async () => {
    await home.remove();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  /** The folder of a newer version of the program, with one additional migration. */
  function newerVersion(): string {
    const folder = mkdtempSync(join(tmpdir(), 'lockyard-version-'));
    folders.push(folder);
    const migrations = join(folder, 'db/migrations', dialect);
    copyMigrations(dialect, migrations, (entries) => {
      const when = 1 + (entries.at(-1)?.when ?? 0);
      return [...entries, { idx: entries.length, when, tag: '9999_later' }];
    });
    writeFileSync(join(migrations, '9999_later.sql'), 'create table later (id integer);');
    return folder;
  }

  const applied = async () => {
    const snapshot = await openSnapshot(home.url);
    await snapshot.close();
    return snapshot.applied;
  };

  test('an older program refuses a newer schema in one line, and changes nothing', async () => {
    expect(await home.process(CREATE_KEY, { cwd: newerVersion() })).toMatchObject({ code: 0 });
    const before = await home.contents();
    const count = programSchemaVersion(dialect);
    expect(await applied()).toHaveLength(count + 1);

    const line =
      `The database has a newer schema (${count + 1}) than this program knows (${count}). ` +
      'Nothing was changed. Start the newer program, or restore a backup from before the ' +
      'upgrade.\n';
    const { variables } = home;
    expect(await server.run([], { variables })).toMatchObject({ code: 1, err: line });
    expect(await home.command(CREATE_KEY)).toMatchObject({ code: 1, err: line });
    expect(await home.contents()).toEqual(before);
    expect(await applied()).toHaveLength(count + 1);
  });

  test('a command migrates no database unless requested, and then says so', async () => {
    expect(await home.command(CREATE_KEY)).toMatchObject({ code: 0 });
    const before = programSchemaVersion(dialect);
    const after = before + 1;
    const list = ['keys', 'list'];
    const contents = await home.contents();
    const refused = await home.process(list, { cwd: newerVersion() });
    expect(refused).toMatchObject({ code: 1, out: Buffer.alloc(0) });
    expect(refused.err).toMatch(
      new RegExp(
        `^The database has schema ${before}, this program ${after}: [^\\n]*--migrate[^\\n]*\\n$`,
      ),
    );
    expect(await home.contents()).toEqual(contents);
    expect(await applied()).toHaveLength(before);
    const first = await home.process([...list, '--migrate'], { cwd: newerVersion() });
    expect(first).toMatchObject({ code: 0, out: expect.anything() });
    expect(first.err).toMatch(
      new RegExp(`^The database was migrated from schema ${before} to ${after}: [^\\n]*\\n$`),
    );
    expect(await home.process(list, { cwd: newerVersion() })).toMatchObject({ code: 0, err: '' });
  });

  test('the backup of another schema is left to its own program', async () => {
    expect(await home.process(CREATE_KEY, { cwd: newerVersion() })).toMatchObject({ code: 0 });
    const before = await home.contents();
    const { code, err } = await home.command(['backup', home.file()]);
    expect([code, err]).toEqual([1, expect.stringMatching(/^The database has schema \d+, this/)]);
    expect(await home.contents()).toEqual(before);
    expect(home.leftovers()).toEqual([]);
  });
});

describe.skipIf(!TEST_DIALECTS.includes('mysql'))('four processes that start at once', () => {
  test.each([
    ['on an empty database', async () => undefined],
    ['on one of the schema before', migrateBeforeLast],
  ])('%s all come up, and each migration is applied once', async (_, prepare) => {
    const home = await Installation.makeEmpty('mysql', commandLine);
    try {
      const url = home.variables.LOCKYARD_DATABASE_URL ?? '';
      await prepare(url);
      const starts = ['one', 'two', 'three', 'four'].map((name) =>
        home.process([...CREATE_KEY.with(3, name), '--migrate']),
      );
      const ended = await Promise.all(starts);
      const fine = {
        code: 0,
        err: expect.stringMatching(
          /^((Created a new database|The database was migrated [^:]+): [^\n]+\n)?$/,
        ),
      };
      for (const each of ended) expect(each).toMatchObject(fine);
      expect(await appliedTo(url)).toEqual(knownMigrations('mysql'));
    } finally {
      await home.remove();
    }
  });
});
