import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A connection, as far as its requests go. */
interface Connection {
  /** Requests whose head was read, answered ones included. */
  begun: number;
  /** Those without a finished answer, oldest first. */
  open: Set<{ req: IncomingMessage; res: ServerResponse }>;
}

/** What each connection has asked and not been answered yet. */
export class OpenRequests {
  private readonly connections = new WeakMap<Duplex, Connection>();

  follow(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    let connection = this.connections.get(socket);
    if (!connection) {
      connection = { begun: 0, open: new Set() };
      this.connections.set(socket, connection);
    }
    const { open } = connection;
    const request = { req, res };
    connection.begun += 1;
    open.add(request);
    res.once('close', () => open.delete(request));
  }

  /** Whether no whole request of a connection is unanswered. One may be arriving, for long. */
  isIdle(socket: Duplex): boolean {
    for (const { req } of this.connections.get(socket)?.open ?? []) if (req.complete) return false;
    return true;
  }

  /** How many requests of a connection have begun to arrive. */
  begun(socket: Duplex): number {
    return this.connections.get(socket)?.begun ?? 0;
  }

  /** The request whose body is not all there; null if none is. */
  arriving(socket: Duplex): IncomingMessage | null {
    for (const { req } of this.connections.get(socket)?.open ?? []) if (!req.complete) return req;
    return null;
  }

  /** Resolves when every request that has arrived has its answer. */
  async answered(socket: Duplex): Promise<void> {
    const open = [...(this.connections.get(socket)?.open ?? [])];
    const begun = open.filter(({ req }) => req.complete);
    await Promise.all(begun.map(({ res }) => new Promise((resolve) => res.once('close', resolve))));
  }
}
