import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { programSchemaVersion } from '@/db/schema-version';
import type { Snapshot } from '@/db/snapshot';
import { version } from '@/package.json';
import { flushFolder } from '@/server/platform/files/flush-folder';
import { renameToNew } from '@/server/platform/files/rename-to-new';
import { StartError } from '@/server/platform/start-error';
import { BACKUP_FORMAT, type BackupHeader, backupTables } from './backup-header';
import { fileFailure } from './file-failure';

/** What its maker knows of a backup. */
export interface BackupOrigin {
  /** Epoch milliseconds. */
  madeAt: number;
  /** The intent of its entry in the audit log. */
  intent: string;
}

/** The result of a backup. */
export interface WrittenBackup {
  header: BackupHeader;
  bytes: number;
}

/**
 * Writes a backup to a file that only its owner may read: it contains hashes of passwords and keys.
 * The file gets its name only when it is complete. Rejects with `StartError`; then the file does
 * not exist, or is the old one.
 *
 * @param overwrite whether an existing file of that name may be replaced
 * @param signal aborts the backup, which then leaves no file behind
 */
export async function writeBackup(
  snapshot: Snapshot,
  file: string,
  { overwrite, signal, ...origin }: BackupOrigin & { overwrite: boolean; signal: AbortSignal },
): Promise<WrittenBackup> {
  const part = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.part`);
  try {
    signal.throwIfAborted();
    if (!overwrite) await refuseExisting(file);
    const options = { mode: 0o600, flags: 'wx', flush: true } as const;
    const open = () => createWriteStream(part, options);
    const header = await streamBackup(snapshot, open, origin, signal);
    const { size } = await stat(part);
    await (overwrite ? rename(part, file) : renameToNew(part, file));
    await flushFolder(dirname(file));
    return { header, bytes: size };
  } catch (error) {
    throw fileFailure(file, 'written', error);
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * Writes a backup to a stream. Rejects with any error.
 *
 * @param open opens the stream, once something listens for its errors: without a listener an error
 *   would end the process
 */
export async function streamBackup(
  snapshot: Snapshot,
  open: () => Writable,
  origin: BackupOrigin,
  signal: AbortSignal,
): Promise<BackupHeader> {
  const header = await headerOf(snapshot, origin);
  await pipeline(Readable.from(pieces(snapshot, header)), createGzip(), open(), { signal });
  return header;
}

async function headerOf(snapshot: Snapshot, origin: BackupOrigin): Promise<BackupHeader> {
  const tables: BackupHeader['tables'] = [];
  const epochs: BackupHeader['epochs'] = {};
  for (const part of backupTables()) {
    const columns = part.columns.map(({ name }) => name);
    tables.push({ name: part.name, columns, rows: await snapshot.count(part) });
    if (part.name !== 'backends') continue;
    const [id, epoch] = [columns.indexOf('id'), columns.indexOf('epoch')];
    for await (const row of snapshot.rows(part)) epochs[String(row[id])] = Number(row[epoch]);
  }
  const schema = snapshot.applied.length;
  return { lockyardBackup: BACKUP_FORMAT, program: version, schema, ...origin, epochs, tables };
}

const PIECE_CHARS = 64 * 1024;

/** The lines of a backup, in batches of about `PIECE_CHARS`. */
async function* pieces(snapshot: Snapshot, header: BackupHeader): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let text = `${JSON.stringify(header)}\n`;
  for (const part of backupTables()) {
    for await (const row of snapshot.rows(part)) {
      text += `${JSON.stringify(row)}\n`;
      if (text.length < PIECE_CHARS) continue;
      hash.update(text);
      yield text;
      text = '';
    }
  }
  hash.update(text);
  yield `${text}${JSON.stringify({ sha256: hash.digest('hex') })}\n`;
}

/** Throws `StartError` unless this program has the database's schema, and so knows its content. */
export function refuseOtherSchema(snapshot: Snapshot, kind: 'sqlite' | 'mysql'): void {
  const [theirs, ours] = [snapshot.applied.length, programSchemaVersion(kind)];
  if (theirs === ours) return;
  throw new StartError(
    `The database has schema ${theirs}, this program ${ours}. Make the backup with the ` +
      'program that last ran on it.',
  );
}

async function refuseExisting(file: string): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (found === null) return;
  throw Object.assign(new Error(), { code: found.isDirectory() ? 'EISDIR' : 'EEXIST' });
}
