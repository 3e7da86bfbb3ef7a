import { basename, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { openSnapshot, type Snapshot } from '@/db/snapshot';
import { describeBackendUrl } from '@/db/urls/backend-url';
import { StartError } from '@/server/platform/start-error';
import { formatDuration } from '../../client/command/terminal/duration';
import type { BackupHeader } from '../backup/backup-header';
import { fileFailure } from '../backup/file-failure';
import { openUnused } from '../backup/refuse-live-servers';
import { checkBackup, restoreBackup } from '../backup/restore-backup';
import {
  type BackupOrigin,
  refuseOtherSchema,
  streamBackup,
  type WrittenBackup,
  writeBackup,
} from '../backup/write-backup';
import type { Config } from '../bootstrap/config/config';
import { prepareDataFolder } from '../bootstrap/data-folder';
import type { Clock } from '../platform/clock';
import { firstLine } from '../platform/first-line';
import type { CliAnswer } from './cli-answer';
import type { BackupCommand, CliCommand } from './cli-command';
import { counted } from './counted';

/** What the caller of a backup provides. */
interface BackupSurroundings {
  clock: Clock;
  /** Reports the backup to the running server; without one, records it in this process. */
  announce: (command: CliCommand) => Promise<string | null>;
  /** Where a backup to `-` is written. */
  stdout: Writable;
  /** Aborts the backup. */
  signal: AbortSignal;
}

/**
 * Makes or restores a backup, and returns what to report about it; its `text` is never null. Throws
 * `StartError` and `LockyardError`.
 */
export function runBackupCommand(
  command: BackupCommand,
  config: Config,
  from: BackupSurroundings,
): Promise<CliAnswer> {
  return command.verb === 'backup'
    ? makeBackup(command, config, from)
    : restore(command, config, from.clock);
}

async function makeBackup(
  { file, force }: Extract<BackupCommand, { verb: 'backup' }>,
  config: Config,
  from: BackupSurroundings,
): Promise<CliAnswer> {
  const { announce, ...surroundings } = from;
  const isPiped = file === '-';
  const path = isPiped ? file : resolve(file);
  // Checks the schema first, so that a database with another one is not written to.
  await (await openOwnSnapshot(config)).close();
  const input = { file: isPiped ? 'standard output' : path };
  const intent = (await announce({ verb: 'backup begin', input })) ?? '';
  const end = (failure?: string) => announce({ verb: 'backup end', input: { intent, failure } });
  let made: WrittenBackup;
  try {
    made = await copyDatabase(isPiped ? null : path, config, {
      ...surroundings,
      intent,
      overwrite: force,
    });
  } catch (error) {
    await end(firstLine(error).slice(0, FAILURE_MAX_CHARS)).catch(() => undefined);
    throw error;
  }
  const isRecorded = await end().then(
    () => true,
    () => false,
  );
  const rows = made.header.tables.reduce((sum, table) => sum + table.rows, 0);
  const size = isPiped ? '' : `, ${formatSize(made.bytes)}`;
  const text = [
    `Backed up ${counted(rows, 'row')}${size}. ` +
      'Keep it safe: it contains hashes of passwords and keys.',
    ...omissions(made.header),
    ...(isRecorded ? [] : ['The audit log could not be updated: there, the outcome is unknown.']),
  ].join('\n');
  const { madeAt } = made.header;
  return { text, data: { file, rows, bytes: isPiped ? null : made.bytes, madeAt, isRecorded } };
}

const FAILURE_MAX_CHARS = 500;

interface Copying extends Omit<BackupSurroundings, 'announce'> {
  /** Recorded by the running server, if there is one, or else by this process. */
  intent: string;
  overwrite: boolean;
}

/** @param path null: standard output */
async function copyDatabase(
  path: string | null,
  config: Config,
  { clock, stdout, signal, intent, overwrite }: Copying,
): Promise<WrittenBackup> {
  const snapshot = await openOwnSnapshot(config);
  try {
    await refuseOtherDatabase(snapshot, intent, config);
    const how = { overwrite, madeAt: clock.now(), intent, signal };
    return await (path === null
      ? pipeBackup(snapshot, stdout, how)
      : writeBackup(snapshot, path, how));
  } finally {
    await snapshot.close();
  }
}

/**
 * Refuses to copy a database that the running server does not use, such as an old one in its data
 * folder: the intent that the server has just recorded is missing from it.
 *
 * @throws StartError
 */
async function refuseOtherDatabase(
  snapshot: Snapshot,
  intent: string,
  { database }: Config,
): Promise<void> {
  const own = { name: 'audit', columns: [], where: `intent = '${intent}'` };
  if (!/^\w+$/.test(intent) || (await snapshot.count(own)) > 0) return;
  throw new StartError(
    `The running server has another database than this command: ${describeBackendUrl(database)}. ` +
      'Give this command the LOCKYARD_DATABASE_URL of the server. Nothing was backed up.',
  );
}

async function openOwnSnapshot({ database }: Config): Promise<Snapshot> {
  const snapshot = await openSnapshot(database);
  try {
    refuseOtherSchema(snapshot, database.kind);
    return snapshot;
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}

async function pipeBackup(
  snapshot: Snapshot,
  stdout: Writable,
  { signal, ...origin }: BackupOrigin & { signal: AbortSignal },
) {
  try {
    return { header: await streamBackup(snapshot, () => stdout, origin, signal), bytes: 0 };
  } catch (error) {
    throw fileFailure('Standard output', 'written', error);
  }
}

function omissions({ epochs }: BackupHeader): string[] {
  const others = Object.keys(epochs).filter((id) => id !== 'default');
  const kept = others.length > 0 ? ` and the data of other backends (${others.join(', ')})` : '';
  return [`Not included: the secret in the data folder, sessions${kept}.`];
}

async function restore(
  { file, replace, quietMs }: Extract<BackupCommand, { verb: 'restore' }>,
  config: Config,
  clock: Clock,
): Promise<CliAnswer> {
  const backup = await checkBackup(resolve(file), config.database.kind);
  prepareDataFolder(config.dataDir);
  const database = await openUnused(config.database);
  try {
    const options = { replace, quietMs, now: clock.now() };
    const { rows, epoch, grantsFrom } = await restoreBackup(database, backup, options);
    const madeAt = new Date(backup.header.madeAt).toISOString();
    const text = [
      `Restored ${counted(rows, 'row')} of ${basename(file)}, made at ${madeAt}, to: ` +
        `${describeBackendUrl(config.database)}. The epoch is ${epoch}.`,
      'All holds have ended and all users must sign in again. Keys and users revoked or ' +
        `disabled after ${madeAt} are active again.`,
      quietMs === 0
        ? 'Locks can be granted immediately.'
        : `No grants until ${new Date(grantsFrom).toISOString()} (${formatDuration(quietMs)}): ` +
          'for that long, a client may hold a lock the backup does not know about. If that is ' +
          'impossible, restore again with --replace and a shorter --quiet.',
    ].join('\n');
    return { text, data: { file, rows, epoch, madeAt: backup.header.madeAt, grantsFrom } };
  } finally {
    await database.close();
  }
}

function formatSize(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
