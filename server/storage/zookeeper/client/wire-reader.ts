/**
 * The fields of a znode's stat that Lockyard uses. Instants are epoch milliseconds of the leader's
 * clock.
 */
export interface Stat {
  mtime: number;
  version: number;
  /**
   * How many children were ever created under it, which is also the next number of a sequential
   * child.
   */
  created: number;
  children: number;
  /** Changes with every child that is created or deleted. */
  pzxid: bigint;
}

/**
 * Reads one packet of ZooKeeper's protocol, front to back. Throws `RangeError` if it ends too soon
 * or is malformed.
 */
export class WireReader {
  private at = 0;

  constructor(private readonly buffer: Buffer) {}

  int(): number {
    const value = this.buffer.readInt32BE(this.at);
    this.at += 4;
    return value;
  }

  long(): bigint {
    const value = this.buffer.readBigInt64BE(this.at);
    this.at += 8;
    return value;
  }

  bool(): boolean {
    const value = this.buffer.readUInt8(this.at);
    this.at += 1;
    return value !== 0;
  }

  bytes(): Buffer {
    const length = this.int();
    if (length === -1) return Buffer.alloc(0);
    if (length < 0 || this.at + length > this.buffer.length) {
      throw new RangeError('A length in an answer of ZooKeeper points outside it.');
    }
    this.at += length;
    return this.buffer.subarray(this.at - length, this.at);
  }

  text(): string {
    return this.bytes().toString('utf8');
  }

  list<T>(item: () => T): T[] {
    const length = this.int();
    if (length > this.buffer.length) throw new RangeError('A list of ZooKeeper is too long.');
    const items: T[] = [];
    for (let i = 0; i < length; i += 1) items.push(item());
    return items;
  }

  stat(): Stat {
    this.at += 24;
    const mtime = Number(this.long());
    const version = this.int();
    const changes = this.int();
    this.at += 16;
    const children = this.int();
    // The protocol counts creations and deletions together; every deleted child was created once.
    const stat = { mtime, version, created: (changes + children) / 2, children };
    return { ...stat, pzxid: this.long() };
  }
}
