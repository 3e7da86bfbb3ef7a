/**
 * Builds one packet of ZooKeeper's protocol: big-endian numbers, texts and bytes prefixed by their
 * lengths.
 */
export class WireWriter {
  private buffer = Buffer.allocUnsafe(512);
  /** The packet's own length comes first and is known last. */
  private end = 4;

  int(value: number): this {
    this.room(4);
    this.end = this.buffer.writeInt32BE(value, this.end);
    return this;
  }

  long(value: bigint): this {
    this.room(8);
    this.end = this.buffer.writeBigInt64BE(value, this.end);
    return this;
  }

  bool(value: boolean): this {
    this.room(1);
    this.end = this.buffer.writeUInt8(value ? 1 : 0, this.end);
    return this;
  }

  bytes(value: Buffer): this {
    this.int(value.length).room(value.length);
    this.end += value.copy(this.buffer, this.end);
    return this;
  }

  text(value: string): this {
    const length = Buffer.byteLength(value);
    this.int(length).room(length);
    this.end += this.buffer.write(value, this.end);
    return this;
  }

  packet(): Buffer {
    this.buffer.writeInt32BE(this.end - 4, 0);
    return this.buffer.subarray(0, this.end);
  }

  private room(more: number): void {
    if (this.end + more <= this.buffer.length) return;
    const bigger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.end + more));
    this.buffer.copy(bigger, 0, 0, this.end);
    this.buffer = bigger;
  }
}
