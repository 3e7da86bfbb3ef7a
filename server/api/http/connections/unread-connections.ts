import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../../platform/clock';
import { Periodic } from '../../../platform/periodic';

/** A caller that has read none of its pending data for this long is disconnected. */
const UNREAD_MAX_MS = 10_000;
/** For a live stream, which would keep growing. Another answer may be larger while it is read. */
const STREAM_UNSENT_MAX_BYTES = 1024 * 1024;
const CHECK_EVERY_MS = 1_000;

/** Node's own count for a socket's current write: bytes that the kernel has not accepted. */
type WithHandle = Socket & { _handle?: { writeQueueSize?: number } | null };

interface Reading {
  /** Bytes of complete writes that the kernel has accepted. */
  sentBytes: number;
  /** Bytes of the current write that the kernel has not accepted. */
  queuedBytes: number;
  progressAt: number;
  answers: Set<ServerResponse>;
}

/**
 * Closes connections whose callers do not read their answers. A slow reader is not closed: any byte
 * that the kernel accepts counts as read.
 */
export class UnreadConnections {
  private readonly open = new Map<Socket, Reading>();
  /** How many were closed so far. */
  closed = 0;

  constructor(private readonly clock: Clock) {}

  /** Watches the connections of a server until it closes. */
  watch(server: Server): void {
    server.on('connection', (socket) => {
      this.open.set(socket, {
        sentBytes: 0,
        queuedBytes: 0,
        progressAt: this.clock.monotonic(),
        answers: new Set(),
      });
      socket.once('close', () => this.open.delete(socket));
    });
    const checking = new Periodic({
      job: 'close connections that do not read',
      everyMs: CHECK_EVERY_MS,
      run: () => this.closeUnread(),
    }).start();
    server.once('close', () => void checking.stop());
  }

  /** To be called when an answer begins, which may be a live stream. */
  follow(res: ServerResponse): void {
    const answers = this.open.get(res.req.socket)?.answers;
    if (!answers) return;
    answers.add(res);
    res.once('close', () => answers.delete(res));
  }

  private closeUnread(): void {
    const now = this.clock.monotonic();
    for (const [socket, reading] of this.open) {
      const { writableLength } = socket;
      const sentBytes = socket.bytesWritten - writableLength;
      const queuedBytes = (socket as WithHandle)._handle?.writeQueueSize ?? 0;
      const hasProgressed =
        writableLength === 0 ||
        sentBytes !== reading.sentBytes ||
        queuedBytes !== reading.queuedBytes;
      if (hasProgressed) Object.assign(reading, { sentBytes, queuedBytes, progressAt: now });
      const isUnread = now - reading.progressAt >= UNREAD_MAX_MS;
      if (!isUnread && !isOverflowing(reading, writableLength)) continue;
      this.closed += 1;
      socket.destroy();
    }
  }
}

function isOverflowing({ answers }: Reading, unsentBytes: number): boolean {
  const isGrowing = (res: ServerResponse) => isStream(res) && !awaited.has(res);
  return unsentBytes > STREAM_UNSENT_MAX_BYTES && [...answers].some(isGrowing);
}

const awaited = new WeakSet<ServerResponse>();

/** Notes that a live stream writes nothing more until its caller has read what was written. */
export function noteAwaited(res: ServerResponse): void {
  awaited.add(res);
}

/** Whether an answer is a live stream, which never finishes. */
export function isStream(res: ServerResponse): boolean {
  return String(res.getHeader('content-type') ?? '').startsWith('text/event-stream');
}
