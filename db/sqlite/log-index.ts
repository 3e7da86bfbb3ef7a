import { closeSync, openSync, readSync } from 'node:fs';

/** The head of an index: its number of 32-bit words, in the machine's byte order, and positions. */
const HEAD_WORDS = 12;
const PAGES = 4;
const CHECKSUM = 6;
const SALT = 8;

/** The end of a write-ahead log, as the last commit left it. */
export interface LogEnd {
  pages: number;
  /** The checksum over its last page and all pages before it. */
  checksum: [number, number];
  /** As stored in the head of the log and in that of each of its pages. */
  salt: Buffer;
}

/**
 * The index of an open write-ahead log, which every process that has the file open shares.
 *
 * Source: "WAL-mode File Format" in SQLite's documentation.
 */
export class LogIndex {
  private readonly descriptor: number;
  private readonly words = new Uint32Array(HEAD_WORDS);

  /** @param path the path of the database file */
  constructor(path: string) {
    this.descriptor = openSync(`${path}-shm`, 'r');
  }

  /** How many pages are in the log. Another process may add more at any time. */
  pages(): number {
    return this.head()[PAGES] ?? 0;
  }

  /** Call it only while nothing is written. */
  end(): LogEnd {
    const head = this.head();
    const [first = 0, second = 0] = head.subarray(CHECKSUM, SALT);
    const salt = Buffer.from(new Uint8Array(head.slice(SALT, SALT + 2).buffer));
    return { pages: head[PAGES] ?? 0, checksum: [first, second], salt };
  }

  /** Call it after SQLite's own descriptors are closed, or it ends the locks of this process. */
  close(): void {
    closeSync(this.descriptor);
  }

  private head(): Uint32Array {
    readSync(this.descriptor, this.words, 0, this.words.byteLength, 0);
    return this.words;
  }
}
