import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { tlsFailure } from '@/db/tls-failure';
import { tlsWith } from '@/db/urls/server-tls';
import type { ZookeeperUrl } from '@/db/urls/zookeeper-url';
import { Periodic } from '../../../platform/periodic';
import { StoreError } from '../../record-store';
import { type Call, CODE, ZookeeperRefusal } from './wire-calls';
import { WireReader, WireWriter } from './wire-format';

/** How long a session outlives its connection. Nothing depends on it: no znode is ephemeral. */
const SESSION_TIMEOUT_MS = 6_000;
const SILENCE_CHECK_MS = 50;

/** The server accepts requests up to 1 MB; its answers can be many times that. */
const LARGEST_ANSWER = 64 * 1024 * 1024;

/** Requests are numbered from 1; after the largest number of 32 bits, from 1 again. */
const XID = { auth: -4, max: 2 ** 31 - 1 } as const;
const TYPE = { auth: 100, close: -11 } as const;

interface Pending {
  xid: number;
  writes: boolean;
  sentAt: number;
  answer(reader: WireReader, code: number): void;
  fail(error: Error): void;
}

/**
 * One connection, with a session that no other connection resumes. Nothing is sent twice: when the
 * connection breaks, every unanswered request fails, and so does every later one.
 *
 * The connection is closed immediately if an answer takes longer than the time limit, or if the
 * server sends anything that is not the answer to the next request.
 *
 * Why not a library: node-zookeeper-client 1.1.3 has no `sync`, treats version 0 in a `multi` as
 * any version, sends after a reconnect what was queued before it, and throws from its socket
 * handler on unknown error codes.
 */
export class ZookeeperConnection {
  private readonly pending: Pending[] = [];
  private chunks: Buffer[] = [];
  private chunkBytes = 0;
  private lastXid = 0;
  private isGreeted = false;
  private failure: Error | null = null;
  private readonly silenceCheck = new Periodic({
    job: 'check for a silent ZooKeeper',
    everyMs: SILENCE_CHECK_MS,
    run: () => this.closeIfSilent(),
  });

  private constructor(
    private readonly socket: Socket,
    private readonly timeoutMs: number,
    private readonly monotonic: () => number,
    private readonly onEnd: () => void,
  ) {
    this.silenceCheck.start();
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.receive(chunk));
    socket.on('error', (error) => this.end(error));
    socket.on('close', () => this.end(new Error('ZooKeeper closed the connection.')));
  }

  /**
   * Resolves once there is a session; rejects, and leaves nothing behind, if there is none in time.
   *
   * @param onEnd called once, when the connection can no longer be used
   */
  static async open(
    address: ServerAddress,
    timeoutMs: number,
    monotonic: () => number,
    onEnd: () => void,
  ): Promise<ZookeeperConnection> {
    let begin = () => {};
    const socket = socketTo(address, () => begin());
    const connection = new ZookeeperConnection(socket, timeoutMs, monotonic, onEnd);
    const greeted = connection.expect(0, false, (reader) => connection.readGreeting(reader));
    const greeting = new WireWriter().int(0).long(0n).int(SESSION_TIMEOUT_MS).long(0n);
    begin = () => {
      socket.write(greeting.bytes(Buffer.alloc(16)).bool(false).packet());
      if (address.credentials === null) return;
      const auth = new WireWriter().int(XID.auth).int(TYPE.auth).int(0).text('digest');
      socket.write(auth.bytes(Buffer.from(address.credentials)).packet());
    };
    await greeted;
    return connection;
  }

  get isOpen(): boolean {
    return this.failure === null;
  }

  /**
   * Sends a request. Answers arrive in the order of the requests, and a request is answered after
   * those before it took effect.
   *
   * @throws StoreError if no answer came: `unknown` if the request may have changed something
   * @throws ZookeeperRefusal if the answer is a refusal
   */
  ask<T>(call: Call<T>): Promise<T> {
    if (this.failure) return Promise.reject(connectionLost(this.failure, false));
    this.lastXid = this.nextXid();
    const answered = this.expect(this.lastXid, call.writes, (reader, code) =>
      call.answer(reader, code),
    );
    if (this.socket.writableCorked === 0) {
      this.socket.cork();
      process.nextTick(() => this.socket.uncork());
    }
    this.socket.write(call.packet(this.lastXid));
    return answered;
  }

  /** Ends the session on the server too, if it responds. */
  close(): void {
    if (this.failure) return;
    this.socket.end(new WireWriter().int(this.nextXid()).int(TYPE.close).packet());
    this.end(new Error('This connection was closed.'), false);
  }

  private nextXid(): number {
    return (this.lastXid % XID.max) + 1;
  }

  private expect<T>(
    xid: number,
    writes: boolean,
    read: (reader: WireReader, code: number) => T,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const answer = (reader: WireReader, code: number) => {
        try {
          resolve(read(reader, code));
        } catch (error) {
          if (!(error instanceof ZookeeperRefusal)) throw error;
          reject(error);
        }
      };
      this.pending.push({ xid, writes, sentAt: this.monotonic(), answer, fail: reject });
    });
  }

  private receive(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.chunkBytes += chunk.length;
    try {
      for (let packet = this.nextPacket(); packet; packet = this.nextPacket())
        this.handlePacket(packet);
    } catch (error) {
      this.end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Null: the packet is not complete yet. */
  private nextPacket(): Buffer | null {
    if (this.failure || this.chunkBytes < 4) return null;
    const [first = Buffer.alloc(0)] = this.chunks;
    const start = first.length >= 4 ? first : this.joinChunks();
    const length = start.readInt32BE(0);
    if (length < 0 || length > LARGEST_ANSWER) {
      throw new RangeError('The server does not speak the protocol of ZooKeeper.');
    }
    if (this.chunkBytes < length + 4) return null;
    const all = start.length >= length + 4 ? start : this.joinChunks();
    this.chunks[0] = all.subarray(length + 4);
    if (this.chunks[0].length === 0) this.chunks.shift();
    this.chunkBytes -= length + 4;
    return all.subarray(4, length + 4);
  }

  private joinChunks(): Buffer {
    const all = Buffer.concat(this.chunks);
    this.chunks = [all];
    return all;
  }

  private handlePacket(packet: Buffer): void {
    const reader = new WireReader(packet);
    if (!this.isGreeted) {
      this.pending[0]?.answer(reader, CODE.ok);
      this.pending.shift();
      this.isGreeted = true;
      return;
    }
    const xid = reader.int();
    reader.long();
    const code = reader.int();
    if (xid === XID.auth) {
      if (code !== CODE.ok) throw new ZookeeperRefusal(code);
      return;
    }
    const [next] = this.pending;
    if (next?.xid !== xid) throw new RangeError('ZooKeeper answered a request that was not sent.');
    next.answer(reader, code);
    this.pending.shift();
  }

  private readGreeting(reader: WireReader): void {
    const version = reader.int();
    const timeoutMs = reader.int();
    if (version !== 0 || timeoutMs <= 0) {
      throw new RangeError('The server does not answer like a ZooKeeper server.');
    }
  }

  private closeIfSilent(): void {
    if (!this.isSilent()) return;
    // After a stall, timers run before the data that has arrived meanwhile: read that first.
    setImmediate(() => {
      if (!this.isSilent()) return;
      this.end(new Error(`ZooKeeper did not answer within ${this.timeoutMs} ms.`));
    });
  }

  private isSilent(): boolean {
    const [oldest] = this.pending;
    return oldest !== undefined && this.monotonic() - oldest.sentAt >= this.timeoutMs;
  }

  private end(error: Error, isAbrupt = true): void {
    if (this.failure) return;
    this.failure = error;
    void this.silenceCheck.stop();
    if (isAbrupt) this.socket.destroy();
    for (const { writes, fail } of this.pending.splice(0)) fail(connectionLost(error, writes));
    this.onEnd();
  }
}

function connectionLost(cause: Error, mayBeApplied: boolean): StoreError {
  if (mayBeApplied) {
    return new StoreError('ZooKeeper did not confirm a change.', 'unknown', { cause });
  }
  const why = tlsFailure(cause);
  const refusal = why && `ZooKeeper cannot be used: ${why}.`;
  return new StoreError(refusal ?? 'ZooKeeper cannot be reached.', 'no', { cause, refusal });
}

/** A server's address, and the credentials for it. */
export interface ServerAddress {
  host: string;
  port: number;
  /** `user:password` of the scheme "digest"; null: none. */
  credentials: string | null;
  /** As in `ZookeeperUrl`; absent: no TLS. */
  tls?: ZookeeperUrl['tls'] | undefined;
}

/**
 * Opens a connection.
 *
 * @param onReady called when data may be written: with TLS not before the certificate has been
 *   verified
 */
export function socketTo({ host, port, tls }: ServerAddress, onReady: () => void): Socket {
  if (!tls) return connect(port, host, onReady);
  return connectSecurely({ host, port, ...tlsWith(host, tls.authorityFile) }, onReady);
}
