import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A line to another server that can be cut, or fall silent with everything still connected. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private mode: 'open' | 'refusing' | 'silent' = 'open';

  private constructor(
    private readonly server: Server,
    private readonly target: { host: string; port: number },
  ) {
    server.on('connection', (socket) => this.join(socket));
  }

  static async start(host: string, port: number): Promise<TcpProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TcpProxy(server, { host, port });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Cuts every connection and every new one. */
  refuse(): void {
    this.mode = 'refusing';
    this.cut();
  }

  /** Says nothing more on any connection, and takes new ones without a word. */
  silence(): void {
    this.mode = 'silent';
    for (const socket of this.sockets) socket.pause().removeAllListeners('data');
  }

  /** Serves again. Connections that fell silent stay so: they are cut. */
  open(): void {
    this.mode = 'open';
    this.cut();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private join(near: Socket): void {
    this.keep(near);
    if (this.mode === 'refusing') near.destroy();
    if (this.mode !== 'open') return;
    const far = connect(this.target.port, this.target.host);
    this.keep(far);
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => near.write(bytes));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }
}
