import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { eq, like } from 'drizzle-orm';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { programSchemaVersion } from '@/db/schema-version';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { randomText } from '../auth/random-text';
import { runCliCommand } from '../cli/run-cli-command';
import { createApiKey } from '../operations/api-keys/create-api-key';
import { openIntent } from '../operations/audit/audit-log';
import { listAudit } from '../operations/audit/list-audit';
import { resolveAuditIntents } from '../operations/audit/resolve-audit-intents';
import { Installation, longText } from './testing/backup-rig';
import { buildCommandLine, type CommandLine, runHere } from './testing/command-line';

let commandLine: CommandLine;
let home: Installation;
beforeAll(async () => {
  commandLine = await buildCommandLine();
});

const lines = (file: string) => gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');

/** Writes a backup made of these lines, except the last, with a matching checksum. */
function writeLines(file: string, all: string[]): void {
  const body = all.slice(0, -1).map((line) => `${line}\n`);
  const sha256 = createHash('sha256').update(body.join('')).digest('hex');
  writeFileSync(file, gzipSync(`${body.join('')}${JSON.stringify({ sha256 })}\n`));
}

/** Another backup, with a changed header. */
function withHeader(file: string, change: (header: Header) => object): string {
  const [header = '', ...rest] = lines(file);
  const other = home.file(`other-${randomText(4)}.gz`);
  writeLines(other, [JSON.stringify(change(JSON.parse(header))), ...rest]);
  return other;
}

interface Header {
  tables: { name: string; columns: string[]; rows: number }[];
  [field: string]: unknown;
}

describe.each(TEST_DIALECTS)('over %s', (dialect) => {
  beforeEach(async () => {
    home = await Installation.make(dialect, commandLine);
    await home.serve(async (server) => {
      await createApiKey(server.cli, { name: 'orders', namespaces: ['default'] });
      await server.take();
      const { db, tables } = server.runtime.database;
      const value = longText(100_000);
      const rows = Array.from({ length: 5 }, (_, i) => ({ id: `big ${i}`, value, changedAt: 1 }));
      await db.insert(tables.settings).values(rows);
      await db
        .insert(tables.settings)
        .values({ id: 'bigger', value: longText(400_000), changedAt: 1 });
    });
    expect(await home.command(['backup', home.file()])).toMatchObject({ code: 0 });
  });
  afterEach(() => home.remove());

  /** The command exits with 1, prints one line and changes nothing. */
  const expectRefused = (words: string[], line: RegExp) => expectAllRefused([{ words, line }]);

  /** As `expectRefused`, for several commands at the same time. */
  async function expectAllRefused(cases: { words: string[]; line: RegExp }[]): Promise<void> {
    const before = await home.contents();
    const ended = await Promise.all(cases.map(({ words }) => home.command(words)));
    for (const [i, { code, err }] of ended.entries()) {
      expect([code, err]).toEqual([1, expect.stringMatching(cases[i]?.line ?? /^$/)]);
      expect(err.trimEnd()).not.toContain('\n');
    }
    const after = await home.contents();
    const { audit: _before, ...restBefore } = before;
    const { audit: _after, ...restAfter } = after;
    expect(restAfter).toEqual(restBefore);
  }

  test('a file that is not a whole backup is refused in one line, before any change', async () => {
    const whole = readFileSync(home.file());
    const write = (name: string, data: Buffer | string) => {
      writeFileSync(home.file(name), data);
      return home.file(name);
    };
    const all = lines(home.file());
    const changed = all.map((line) => line.replace('"orders"', '"0rders"'));
    const later = { schema: programSchemaVersion(dialect) + 1, program: '99.0.0' };
    mkdirSync(home.file('folder'));
    const cases: [file: string, line: RegExp][] = [
      [home.file('absent'), /absent cannot be read: no such file/],
      [home.file('folder'), /folder cannot be read: it is a folder/],
      ['/dev/null', /null cannot be read: it is not a regular file, which is read twice/],
      [write('empty', ''), /is cut short/],
      [write('short', whole.subarray(0, whole.length - 400)), /is cut short/],
      [write('early', gzipSync(all.slice(0, 4).join('\n'))), /is cut short/],
      [write('text', 'no backup at all'), /is not a backup of Lockyard/],
      [write('other', gzipSync('{"some":"json"}\n')), /is not a backup of Lockyard/],
      [write('flipped', gzipSync(`${changed.join('\n')}\n`)), /checksum does not match/],
      [write('longer', gzipSync(`${all.join('\n')}\n[1]\n`)), /checksum does not match/],
      [withHeader(home.file(), (h) => ({ ...h, ...later })), /newer program: Lockyard 99\.0\.0/],
      [withHeader(home.file(), (h) => ({ ...h, lockyardBackup: 2 })), /newer format/],
      [
        withHeader(home.file(), (h) => ({
          ...h,
          tables: h.tables.map((t) => ({ ...t, rows: t.rows + 1 })),
        })),
        /is damaged|is not a backup/,
      ],
      [
        withHeader(home.file(), (h) => ({ ...h, tables: [{ name: 'x', columns: [], rows: 0 }] })),
        /does not know the table x/,
      ],
    ];
    await expectAllRefused(
      cases.map(([file, line]) => ({ words: ['restore', file, '--replace'], line })),
    );
  });

  test('a database that is not empty is not replaced unless requested', async () => {
    const line = /^The database is not empty: it has API keys \(1\), locks and counters \(1\), /;
    await expectRefused(['restore', home.file()], line);
  });

  test('nothing is restored while a server runs', async () => {
    await home.serve(async (server) => {
      const { code, err } = await home.process(['restore', home.file(), '--replace']);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/^A Lockyard server is running on this database\.[^\n]*\n$/),
      ]);
      expect(await server.acquire()).toMatchObject({ outcome: 'held' });
    });
  });

  test('the audit log records a backup as made only if it was, and otherwise why not', async () => {
    const backups = () =>
      home.serve(async ({ runtime: { database } }) => {
        const { audit } = database.tables;
        const rows = await database.db.select().from(audit).where(eq(audit.act, 'backup.make'));
        return rows.map(({ outcome, result }) => [outcome, JSON.parse(result).message]);
      });
    const made = ['done', undefined];
    expect(await backups()).toEqual([made]);
    await expectRefused(['backup', home.file()], /it already exists/);
    const failed = ['failed', expect.stringMatching(/ it already exists; --force replaces it\.$/)];
    expect(await backups()).toEqual([made, failed]);
    await home.serve(async () => {
      expect(await home.command(['backup', home.file('no/where.gz')])).toMatchObject({ code: 1 });
    });
    const missing = ['failed', expect.stringContaining('no such file or folder')];
    expect(await backups()).toEqual([made, failed, missing]);
  });

  test('another database than that of the running server is not backed up instead', async () => {
    const elsewhere = { LOCKYARD_DATA_DIR: home.dataDir };
    const other = ['backup', home.file('other.gz')];
    const none = await runHere(other, elsewhere);
    expect([none.code, none.err]).toEqual([
      1,
      expect.stringMatching(/^There is no database at [^\n]* LOCKYARD_DATABASE_URL\.\n$/),
    ]);
    await runHere(['namespaces', 'create', '--name', 'other', '--create'], elsewhere);
    await home.serve(async (server) => {
      const { code, err } = await runHere(other, elsewhere);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/^The running server has another database [^\n]*lockyard\.db\. /),
      ]);
      const { rows } = await listAudit(server.cli, { limit: 1 });
      expect(rows).toMatchObject([{ act: 'backup.make', outcome: 'failed' }]);
    });
    expect(home.leftovers()).toEqual(['backup.gz']);
  });

  test('a killed or slow backup is not recorded as made until it reports so', async () => {
    await home.serve(async (server) => {
      const { runtime, cli } = server;
      const { audit } = runtime.database.tables;
      const what = { act: 'backup.make', subject: 'slow.gz' } as const;
      const intent = await openIntent(cli, { name: 'command line', kind: 'cli' }, what);
      const outcome = async () => {
        const own = eq(audit.intent, intent);
        return (await runtime.database.db.select().from(audit).where(own))[0]?.outcome;
      };
      const later = { ...runtime.clock, now: () => runtime.clock.now() + 60_000 };
      await resolveAuditIntents({ ...runtime, clock: later });
      expect(await outcome()).toBe('unknown');
      await runCliCommand(runtime, { verb: 'backup end', input: { intent } });
      expect(await outcome()).toBe('done');
    });
  });

  test('a backup replaces no file unless requested, and leaves no incomplete one', async () => {
    const before = readFileSync(home.file());
    await expectRefused(['backup', home.file()], /it already exists; --force replaces it/);
    expect(readFileSync(home.file()).equals(before)).toBe(true);
    expect(await home.command(['backup', home.file(), '--force'])).toMatchObject({ code: 0 });
    expect(readFileSync(home.file()).equals(before)).toBe(false);

    await expectRefused(['backup', home.file('no/where.gz')], /no such file or folder/);
    await expectRefused(['backup', home.dataDir], / cannot be written: it is a folder\.$/m);
    await home.serve(async () => {
      // The server is not limited, so that only the backup's own file can be too large.
      const words = ['backup', home.file('large.gz')];
      const { code, err } = await home.process(words, { fileMaxKb: 200 });
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/the file size limit of this user was reached\.\n$/),
      ]);
    });
    expect(home.leftovers()).toEqual(['backup.gz']);
  });

  test('a backup of the previous schema is migrated to this one', async () => {
    const [headerLine = '', ...rows] = lines(home.file());
    const header = JSON.parse(headerLine);
    const older = home.file('older.gz');
    let first = 0;
    for (const table of header.tables) {
      const gone = table.columns.indexOf('grants_from');
      if (gone >= 0) {
        table.columns.splice(gone, 1);
        for (let i = first; i < first + table.rows; i += 1) {
          rows[i] = JSON.stringify(JSON.parse(rows[i] ?? '').toSpliced(gone, 1));
        }
      }
      first += table.rows;
    }
    writeLines(older, [JSON.stringify({ ...header, schema: header.schema - 1 }), ...rows]);
    const restored = await home.command(['restore', older, '--replace', '--quiet', '0s']);
    expect(restored).toMatchObject({ code: 0 });
    await home.serve(async (server) => {
      expect(await server.take()).toBeGreaterThan(2 * 2 ** 41);
    });
  });
});

test('invalid arguments end with exit code 2', async () => {
  home = await Installation.make('sqlite', commandLine);
  const cases = [
    ['backup'],
    ['backup', 'a', 'b'],
    ['backup', 'a', '--replace'],
    ['restore'],
    ['restore', '-'],
    ['restore', 'a', '--quiet', 'soon'],
    ['restore', 'a', '--quiet', '25h'],
    ['restore', 'a', '--force'],
  ];
  try {
    const ended = await Promise.all(cases.map((words) => home.command(words)));
    for (const [i, { code, err }] of ended.entries()) {
      const words = cases[i]?.join(' ');
      expect([code, err], words).toEqual([2, expect.stringMatching(/^[^\n]+\n$/)]);
    }
  } finally {
    await home.remove();
  }
});

test('a disk that fills up while a backup is restored leaves the database as it was', async () => {
  home = await Installation.make('sqlite', commandLine);
  try {
    await home.serve(async (server) => {
      const { db, tables } = server.runtime.database;
      for (let i = 0; i < 40; i += 1) {
        const row = { id: `big ${i}`, value: longText(100_000), changedAt: 1 };
        await db.insert(tables.settings).values(row);
      }
    });
    expect(await home.command(['backup', home.file()])).toMatchObject({ code: 0 });
    await home.serve(async ({ runtime: { database } }) => {
      const { settings } = database.tables;
      await database.db.delete(settings).where(like(settings.id, 'big %'));
    });
    const before = await home.contents();
    const words = ['restore', home.file(), '--replace'];
    const { code, err } = await home.process(words, { fileMaxKb: 1_500 });
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^The backup was not restored[^\n]*\n$/),
    ]);
    expect(await home.contents()).toEqual(before);
    expect(await home.command(words)).toMatchObject({ code: 0 });
  } finally {
    await home.remove();
  }
});

test.each([
  ['a full disk', 'exec > /dev/full', 'the disk is full'],
  ['a reader that ends early', 'exec > >(true); wait $!', 'the reader has closed the pipe'],
])('%s behind standard output is reported', async (_, output, why) => {
  home = await Installation.make('sqlite', commandLine);
  try {
    await home.serve(async () => undefined);
    const { program } = commandLine;
    const words = ['--norc', '-c', `${output}; exec "$@"`, 'writes', ...program, 'backup', '-'];
    const env = { PATH: process.env.PATH, ...home.variables } as unknown as NodeJS.ProcessEnv;
    const { status, stderr } = spawnSync('bash', words, { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, `Standard output cannot be written: ${why}.\n`]);
  } finally {
    await home.remove();
  }
});
