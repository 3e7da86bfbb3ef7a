import type { FileHandle } from 'node:fs/promises';
import { endianness } from 'node:os';
import type { LogEnd } from './log-index';

const HEAD_BYTES = 32;
const PAGE_SIZE_AT = 8;
const SALT_AT = 16;

/** The size of the head before each page. */
const PAGE_HEAD_BYTES = 24;
const PAGE_SALT_AT = 8;
const SALT_BYTES = 8;

/** How many bytes of each head its checksum covers. */
const SUMMED_OF_HEAD = 24;
const SUMMED_OF_PAGE_HEAD = 8;
const CHECKSUM_AT = 16;

const PAGES_AT_ONCE = 64;

/** The log no longer contains what was committed. */
export class LogLost extends Error {
  override readonly name = 'LogLost';
}

/**
 * Rewrites all that a write-ahead log holds, so that the next flush covers it: after a failed flush
 * the system may treat data as written that it could not write. Nothing else may write to the log
 * meanwhile.
 *
 * Source: "WAL-mode File Format" in SQLite's documentation.
 *
 * @throws LogLost if the log does not read as it was committed: the system may have dropped what it
 *   could not write
 */
export async function rewriteLog(log: FileHandle, end: LogEnd): Promise<void> {
  if (end.pages === 0) return;
  const head = await bytesAt(log, 0, HEAD_BYTES);
  const pageBytes = PAGE_HEAD_BYTES + head.readUInt32BE(PAGE_SIZE_AT);
  const checksum = new Checksum((head.readUInt32BE(0) & 1) === 1);
  checksum.add(head.subarray(0, SUMMED_OF_HEAD));
  requireSame(checksum.isAt(head, SUMMED_OF_HEAD) && hasSalt(head, SALT_AT, end));
  await rewrite(log, head, 0);
  for (let page = 0; page < end.pages; page += PAGES_AT_ONCE) {
    const count = Math.min(PAGES_AT_ONCE, end.pages - page);
    const from = HEAD_BYTES + page * pageBytes;
    const bytes = await bytesAt(log, from, count * pageBytes);
    for (let at = 0; at < bytes.length; at += pageBytes) {
      checksum.add(bytes.subarray(at, at + SUMMED_OF_PAGE_HEAD));
      checksum.add(bytes.subarray(at + PAGE_HEAD_BYTES, at + pageBytes));
      requireSame(checksum.isAt(bytes, at + CHECKSUM_AT));
      requireSame(hasSalt(bytes, at + PAGE_SALT_AT, end));
    }
    await rewrite(log, bytes, from);
  }
  requireSame(checksum.equals(end.checksum));
}

async function bytesAt(log: FileHandle, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await log.read(Buffer.alloc(length), 0, length, from);
  requireSame(bytesRead === length);
  return buffer;
}

async function rewrite(log: FileHandle, bytes: Buffer, from: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await log.write(bytes, done, bytes.length - done, from + done)).bytesWritten;
  }
}

function requireSame(isSame: boolean): void {
  if (!isSame) throw new LogLost('What was committed is no longer in the log.');
}

function hasSalt(bytes: Buffer, at: number, { salt }: LogEnd): boolean {
  return salt.equals(bytes.subarray(at, at + SALT_BYTES));
}

/** SQLite's running checksum: that of a page covers all pages before it too. */
class Checksum {
  private first = 0;
  private second = 0;
  private readonly isSwapped: boolean;

  /** @param isBigEndian how words are read: as on the machine that began the log */
  constructor(isBigEndian: boolean) {
    this.isSwapped = isBigEndian !== (endianness() === 'BE');
  }

  add(bytes: Buffer): void {
    const own = Buffer.from(bytes);
    if (this.isSwapped) own.swap32();
    const words = new Uint32Array(new Uint8Array(own).buffer);
    let { first, second } = this;
    for (let i = 0; i < words.length; i += 2) {
      first = (first + (words[i] as number) + second) | 0;
      second = (second + (words[i + 1] as number) + first) | 0;
    }
    this.first = first >>> 0;
    this.second = second >>> 0;
  }

  isAt(bytes: Buffer, at: number): boolean {
    return this.equals([bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]);
  }

  equals([first, second]: [number, number]): boolean {
    return this.first === first && this.second === second;
  }
}
