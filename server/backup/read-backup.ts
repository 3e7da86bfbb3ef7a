import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { ZodType } from 'zod';
import type { Cell } from '@/db/snapshot';
import { errorCode } from '@/server/platform/files/error-code';
import { StartError } from '@/server/platform/start-error';
import {
  BACKUP_FORMAT,
  type BackupHeader,
  backupCells,
  backupEnd,
  backupHeader,
} from './backup-header';
import { fileFailure } from './file-failure';

/** Receives the content of a backup piece by piece, before the whole has been verified. */
export interface BackupVisitor {
  header?(header: BackupHeader): void;
  row?(table: BackupHeader['tables'][number], cells: Cell[]): Promise<void> | void;
}

/** What a whole backup says of itself. */
interface ReadBackup {
  header: BackupHeader;
  /** Of all of its lines but the last. */
  sha256: string;
}

/**
 * Reads a whole backup and checks its form, its counts and its checksum.
 *
 * Rejects with `StartError` for a file that is not a backup, damaged, truncated or in a newer
 * format.
 */
export async function readBackup(file: string, visitor: BackupVisitor = {}): Promise<ReadBackup> {
  try {
    return await pipeline(createReadStream(file), createGunzip(), (text) =>
      readLines(file, linesOf(text as AsyncIterable<Buffer>), visitor),
    );
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'Z_BUF_ERROR') throw complaint(file, 'is cut short', cause);
    if (code === 'Z_DATA_ERROR') throw complaint(file, NO_BACKUP, cause);
    throw fileFailure(file, 'read', cause);
  }
}

const NO_BACKUP = 'is not a backup of Lockyard, or is damaged';

async function readLines(
  file: string,
  lines: AsyncGenerator<string>,
  visitor: BackupVisitor,
): Promise<ReadBackup> {
  const hash = createHash('sha256');
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw complaint(file, 'is cut short');
    return value;
  };
  const hashed = async () => {
    const line = await next();
    hash.update(`${line}\n`);
    return line;
  };
  const header = parsed(file, await hashed(), backupHeader);
  if (header.lockyardBackup > BACKUP_FORMAT) {
    throw complaint(file, `is in a newer format, made by Lockyard ${header.program}`);
  }
  visitor.header?.(header);
  for (const table of header.tables) {
    for (let read = 0; read < table.rows; read += 1) {
      const cells = parsed(file, await hashed(), backupCells);
      if (cells.length !== table.columns.length) throw complaint(file, 'is damaged');
      await visitor.row?.(table, cells);
    }
  }
  const end = parsed(file, await next(), backupEnd);
  const surplus = await lines.next();
  const isSound = end.sha256 === hash.digest('hex') && surplus.done;
  if (!isSound) throw complaint(file, 'is damaged: its checksum does not match');
  return { header, sha256: end.sha256 };
}

/** Far more than any row of this program has. */
const LINE_MAX_CHARS = 64 * 1024 * 1024;

/**
 * Lines end with a line feed only: no other separator, since texts may contain those. One that is
 * too long is the last, and cut, so it is no JSON.
 */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  for await (const chunk of chunks) {
    // Only new text is searched: an endless line would be searched again with every chunk.
    const [end = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
    rest += end;
    if (rest.length > LINE_MAX_CHARS) return yield rest;
    for (const line of lines) {
      yield rest;
      rest = line;
    }
  }
}

function parsed<T>(file: string, line: string, schema: ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(line));
  } catch (cause) {
    throw complaint(file, NO_BACKUP, cause);
  }
}

const complaint = (file: string, what: string, cause?: unknown) =>
  new StartError(`${file} ${what}. Nothing was changed.`, { cause });
