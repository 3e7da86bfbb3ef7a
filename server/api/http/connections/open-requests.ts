import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isStream } from './unread-connections';

/** The requests of one connection. */
interface Connection {
  /** Requests whose head was read, including those already answered. */
  begun: number;
  /** Answers that are not finished, oldest first. */
  open: Set<ServerResponse>;
  /** The last request, if its answer was finished before its body had arrived. */
  early: IncomingMessage | null;
}

/** The requests of each connection that have no answer yet. */
export class OpenRequests {
  private readonly connections = new Map<Duplex, Connection>();

  follow(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    const connection = this.connections.get(socket) ?? this.add(socket);
    connection.begun += 1;
    connection.early = null;
    connection.open.add(res);
    res.on('close', () => {
      connection.open.delete(res);
      if (req.complete) return;
      connection.early = req;
      req.once('close', () => {
        // Otherwise its headers would be kept for as long as the connection.
        if (connection.early === req) connection.early = null;
      });
    });
  }

  /** Whether every complete request of a connection is answered. A further one may be arriving. */
  isIdle(socket: Duplex): boolean {
    for (const { req } of this.openOf(socket)) if (req.complete) return false;
    return true;
  }

  /** How many requests of a connection have begun to arrive. */
  begun(socket: Duplex): number {
    return this.connections.get(socket)?.begun ?? 0;
  }

  /** The request whose body has not arrived completely; null if there is none. */
  arriving(socket: Duplex): IncomingMessage | null {
    for (const { req } of this.openOf(socket)) if (!req.complete) return req;
    return null;
  }

  /** Whether a request was answered before its body had arrived, which is still arriving. */
  isAnsweredEarly(socket: Duplex): boolean {
    const early = this.connections.get(socket)?.early;
    if (early) return !early.complete;
    return [...this.openOf(socket)].some((res) => !res.req.complete && res.writableEnded);
  }

  /** Resolves when every request that has arrived, or was answered early, has its answer. */
  async answered(socket: Duplex): Promise<void> {
    const isDue = ({ req, writableEnded }: ServerResponse) => req.complete || writableEnded;
    const begun = [...this.openOf(socket)].filter(isDue);
    await Promise.all(begun.map((res) => new Promise((resolve) => res.once('close', resolve))));
  }

  /** Asks callers whose answers are in progress to close their connections afterwards. */
  closeAfterwards(): void {
    for (const res of this.inProgress()) {
      if (!res.headersSent) res.setHeader('Connection', 'close');
    }
  }

  /** How many answers are unfinished, without live streams, which never finish. */
  get unfinished(): number {
    let count = 0;
    for (const res of this.inProgress()) if (!isStream(res)) count += 1;
    return count;
  }

  /** The answers that are first on their connection. */
  private *inProgress(): Generator<ServerResponse> {
    for (const { open } of this.connections.values()) {
      for (const res of open) if (res.socket) yield res;
    }
  }

  private openOf(socket: Duplex): Iterable<ServerResponse> {
    return this.connections.get(socket)?.open ?? [];
  }

  private add(socket: Duplex): Connection {
    const connection: Connection = { begun: 0, open: new Set(), early: null };
    this.connections.set(socket, connection);
    socket.once('close', () => this.connections.delete(socket));
    return connection;
  }
}
