/** The used fields of the stat that a write returns. Instants: epoch ms of the leader's clock. */
export interface WriteStat {
  mtime: number;
  version: number;
}

/** The fields of a znode's stat that are used. */
export interface Stat extends WriteStat {
  /** How many children it ever had, which is also the next sequential child's number. */
  created: number;
  children: number;
  /** Changes with every child that is created or deleted. */
  pzxid: bigint;
}

/** Reads one ZooKeeper packet in order. Throws `RangeError` if it is truncated or malformed. */
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
    const mtime = this.instant();
    const version = this.int();
    const changes = this.int();
    this.at += 16;
    const children = this.int();
    // The protocol counts creations and deletions together; every deleted child was created once.
    const created = (changes + children) / 2;
    return { mtime, version, created, children, pzxid: this.long() };
  }

  /** Reads the same stat, but only the fields that are used after a write. */
  writeStat(): WriteStat {
    this.at += 24;
    const mtime = this.instant();
    const version = this.int();
    this.at += 32;
    return { mtime, version };
  }

  /** A `long` that a number holds exactly. */
  private instant(): number {
    return this.int() * 2 ** 32 + (this.int() >>> 0);
  }
}

/** Builds one ZooKeeper packet: big-endian numbers, texts and bytes prefixed by lengths. */
export class WireWriter {
  private buffer: Buffer;
  /** The packet's own length comes first and is known last. */
  private end = 4;

  /** @param bytes the expected size of the packet, which may be exceeded */
  constructor(bytes = 512) {
    this.buffer = Buffer.allocUnsafe(bytes);
  }

  int(value: number): this {
    this.reserve(4);
    this.end = this.buffer.writeInt32BE(value, this.end);
    return this;
  }

  long(value: bigint): this {
    this.reserve(8);
    this.end = this.buffer.writeBigInt64BE(value, this.end);
    return this;
  }

  bool(value: boolean): this {
    this.reserve(1);
    this.end = this.buffer.writeUInt8(value ? 1 : 0, this.end);
    return this;
  }

  bytes(value: Buffer): this {
    this.int(value.length).reserve(value.length);
    this.end += value.copy(this.buffer, this.end);
    return this;
  }

  text(value: string): this {
    const length = Buffer.byteLength(value);
    this.int(length).reserve(length);
    this.end += this.buffer.write(value, this.end);
    return this;
  }

  packet(): Buffer {
    this.buffer.writeInt32BE(this.end - 4, 0);
    return this.buffer.subarray(0, this.end);
  }

  private reserve(more: number): void {
    if (this.end + more <= this.buffer.length) return;
    const bigger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.end + more));
    this.buffer.copy(bigger, 0, 0, this.end);
    this.buffer = bigger;
  }
}
