import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type BulkChange, changeInBulk } from '@/db/bulk-change';
import type { Database } from '@/db/database';
import { CommitUnknown } from '@/db/database-failure';
import { migrate } from '@/db/migrate';
import { programSchemaVersion } from '@/db/schema-version';
import { type Cell, tableShapes } from '@/db/snapshot';
import { firstLine } from '@/server/platform/first-line';
import { StartError } from '@/server/platform/start-error';
import { OWN_NAMESPACE } from '../engine/membership';
import type { AuditAct } from '../operations/audit/audited-act';
import { restoredCursor } from '../storage/recorded-position';
import { type BackupHeader, backupTables, SECRET_FINGERPRINT_ROW } from './backup-header';
import { BackupLoad } from './backup-load';
import { insertDoneAct } from './insert-done-act';
import { readBackup } from './read-backup';
import { refuseLiveServers } from './refuse-live-servers';

export interface RestoreOptions {
  /** Whether the database's content may be deleted. */
  replace: boolean;
  /** How long a hold from before the restore may still last. Nothing is granted for this long. */
  quietMs: number;
  /** The machine's clock, for a database without one. */
  now: number;
}

/** A backup that was read completely and that this program can restore. */
export interface CheckedBackup {
  file: string;
  header: BackupHeader;
  sha256: string;
}

/** The result of a restore. */
export interface Restored {
  rows: number;
  epoch: number;
  /** Epoch milliseconds of the database's clock. */
  grantsFrom: number;
}

/** Reads a backup completely. Rejects with `StartError` for one that cannot be restored. */
export async function checkBackup(file: string, kind: Database['kind']): Promise<CheckedBackup> {
  await refusePipe(file);
  const read = await readBackup(file, {
    header(header) {
      refuseNewer(file, header, programSchemaVersion(kind));
      for (const table of header.tables) refuseUnknownTable(file, table);
    },
  });
  return { file, ...read };
}

/**
 * Restores a backup into a database, all of it or nothing. A backup of an older schema is migrated
 * to this program's: new columns get their defaults. Every backend's epoch rises, even if only the
 * replaced database knows the backend; all holds end, and nothing is granted for `quietMs`.
 *
 * @throws StartError when a server runs, the database is in use, or the file has changed since it
 *   was checked
 */
export async function restoreBackup(
  database: Database,
  backup: CheckedBackup,
  options: RestoreOptions,
): Promise<Restored> {
  const { file, header, sha256 } = backup;
  await migrate(database);
  try {
    return await changeInBulk(database, async (change) => {
      const clock = async () => (await change.now()) ?? options.now;
      const now = await clock();
      await refuseLiveServers(change, now);
      if (!options.replace) await refuseNonEmpty(change);
      const backends = await rowsById(change, 'backends');
      const namespaces = await rowsById(change, 'namespaces');
      for (const { name } of tableShapes()) await clear(change, name);
      const load = new BackupLoad(change, header, {
        backends,
        namespaces,
        now,
        grantsFrom: now + options.quietMs,
      });
      const read = await readBackup(file, { row: (table, cells) => load.row(table, cells) });
      if (read.sha256 !== sha256) throw new StartError(`${file} was changed during the restore.`);
      const restored = await load.finish();
      await closeOwnIntent(change, header);
      await insertDoneAct(change, options.now, {
        act: 'backup.restore',
        subject: basename(file),
        seen: { madeAt: new Date(header.madeAt).toISOString() },
        result: { epoch: restored.epoch, quietMs: options.quietMs },
      });
      await change.insert('cursors', ['id', 'position'], [[restoredCursor(header.madeAt), now]]);
      // The old content is deleted by now: a server found here started in the meantime.
      await refuseLiveServers(change, await clock());
      return restored;
    });
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    const outcome =
      cause instanceof CommitUnknown
        ? 'The database did not confirm whether the backup was restored'
        : 'The backup was not restored, and nothing was changed';
    throw new StartError(`${outcome}: ${firstLine(cause)}`, { cause });
  }
}

/**
 * Closes the backup's own entry in its audit log: it was made. A backup of an earlier version does
 * not name it; there it is the last one that is pending, unless two were made at once.
 */
async function closeOwnIntent(change: BulkChange, { madeAt, intent }: BackupHeader): Promise<void> {
  const act: AuditAct = 'backup.make';
  const open = "from audit where act = ? and outcome = 'pending' order by id desc";
  const pending = await change.select(`select id, intent ${open}`, [act]);
  const own = intent ? pending.find((entry) => entry.intent === intent) : pending[0];
  if (!own) return;
  const close = "update audit set outcome = 'done', closed_at = ? where id = ?";
  await change.run(close, [madeAt, Number(own.id)]);
}

/** The second reading of a pipe would end at once, as if the backup were cut short. */
async function refusePipe(file: string): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (found === null || found.isFile() || found.isDirectory()) return;
  throw new StartError(
    `${file} cannot be read: it is not a regular file, which is read twice. Save the backup to a ` +
      'file first. Nothing was changed.',
  );
}

async function rowsById(
  change: BulkChange,
  table: string,
): Promise<Map<string, Record<string, Cell>>> {
  const rows = await change.select(`select * from ${table}`);
  return new Map(rows.map((row) => [String(row.id), row as Record<string, Cell>]));
}

async function clear(change: BulkChange, table: string): Promise<void> {
  const where = table === 'settings' ? ` where not (${SECRET_FINGERPRINT_ROW})` : '';
  await change.run(`delete from ${table}${where}`);
}

function refuseNewer(file: string, { schema, program }: BackupHeader, known: number): void {
  if (schema <= known) return;
  throw new StartError(
    `${file} was made by a newer program: Lockyard ${program}, schema ${schema}; this one ` +
      `supports ${known}. Nothing was changed.`,
  );
}

function refuseUnknownTable(file: string, table: BackupHeader['tables'][number]): void {
  const part = backupTables().find(({ name }) => name === table.name);
  const isKnown = table.columns.every((name) => part?.columns.some((own) => own.name === name));
  const missing = part?.columns.find(
    ({ name, isNeeded }) => isNeeded && !table.columns.includes(name),
  );
  if (part && isKnown && !missing) return;
  throw new StartError(
    `${file} cannot be restored by this program: it does not know the table ${table.name} in ` +
      'that form. Nothing was changed.',
  );
}

/** Data whose deletion an operator must confirm. */
const CONTENTS: [label: string, sql: string][] = [
  ['users', 'from users'],
  ['API keys', 'from api_keys'],
  ['locks and counters', `from locks where id not like '${OWN_NAMESPACE}/%'`],
  ['audit entries', 'from audit'],
];

/** Throws `StartError` if the database has been used. */
async function refuseNonEmpty(change: BulkChange): Promise<void> {
  const found: string[] = [];
  for (const [label, from] of CONTENTS) {
    const [row] = await change.select(`select count(*) as found ${from}`);
    if (Number(row?.found) > 0) found.push(`${label} (${row?.found})`);
  }
  if (found.length === 0) return;
  throw new StartError(
    `The database is not empty: it has ${found.join(', ')}. --replace deletes all of it. ` +
      'Nothing was changed.',
  );
}
