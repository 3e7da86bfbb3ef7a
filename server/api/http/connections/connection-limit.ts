import type { Socket } from 'node:net';
import type { LockyardError } from '../../../contract/errors';
import { rawRefusal } from './broken-request';
import type { OpenRequests } from './open-requests';

/** How a server limits its connections. */
export interface ConnectionPolicy {
  most: number;
  /** Whether a valid API key was sent on a connection. */
  isKnown(socket: Socket): boolean;
  /** Counts a connection that is turned away, and returns the reason. */
  refuse(): LockyardError;
}

/** How long, and how many, refused connections stay open so that callers can read the reason. */
const LINGER_MS = 1_000;
export const LINGERING_MAX = 100;

/** How many connections are examined in search of an idle one. */
const CHECKS_MAX = 100;

/**
 * Limits the connections of a server. At the limit, a new one replaces the oldest idle connection
 * that never sent a valid key, a request still arriving or none; if there is none, the new one is
 * refused with 429. Whole requests in progress are not affected.
 */
export class ConnectionLimit {
  private open = 0;
  /** Roughly oldest first: those that were checked and busy move to the end. */
  private readonly unidentified = new Set<Socket>();
  private readonly turnedAway = new WeakSet<Socket>();
  private lingering = 0;

  constructor(
    private readonly policy: ConnectionPolicy,
    private readonly requests: OpenRequests,
  ) {}

  /** For `connection` of a server. */
  readonly admit = (socket: Socket): void => {
    this.open += 1;
    socket.once('close', () => {
      this.open -= 1;
      this.unidentified.delete(socket);
    });
    const idle = this.open > this.policy.most ? this.takeIdle() : null;
    if (idle === null && this.open > this.policy.most) {
      this.turnAway(socket);
      return;
    }
    idle?.destroy();
    this.unidentified.add(socket);
  };

  /** Whether a connection was turned away, so that its requests are ignored. */
  isTurnedAway(socket: Socket): boolean {
    return this.turnedAway.has(socket);
  }

  private takeIdle(): Socket | null {
    let checks = 0;
    for (const socket of this.unidentified) {
      this.unidentified.delete(socket);
      if (this.policy.isKnown(socket)) continue;
      if (this.requests.isIdle(socket)) return socket;
      this.unidentified.add(socket);
      checks += 1;
      if (checks >= CHECKS_MAX) return null;
    }
    return null;
  }

  private turnAway(socket: Socket): void {
    this.turnedAway.add(socket);
    const refusal = this.policy.refuse();
    if (this.lingering >= LINGERING_MAX) {
      socket.destroy();
      return;
    }
    this.lingering += 1;
    socket.once('close', () => {
      this.lingering -= 1;
    });
    socket.end(rawRefusal(refusal));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }
}
