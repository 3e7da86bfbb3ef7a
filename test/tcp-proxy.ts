import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** While replies are cut, one in this many is lost, with its connection. */
const CUT_EVERY = 5;

/** The size of the length prefix with which most protocols begin. */
const HEADER_BYTES = 4;

/**
 * A proxy to another server that can cut connections, go silent with everything still connected,
 * lose replies, or turn them into noise.
 */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private mode: 'open' | 'refusing' | 'silent' | 'cutting' | 'garbling' = 'open';
  private replies = 0;
  private random = Math.random;
  private delayMs = 0;

  private constructor(
    private readonly server: Server,
    private target: { host: string; port: number },
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

  /** Resets every connection, like a crash of its host: the next write to it fails immediately. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Sends nothing more on any connection, and accepts new ones without sending anything. */
  silence(): void {
    this.mode = 'silent';
    for (const socket of this.sockets) socket.pause().removeAllListeners('data');
  }

  /**
   * Drops every fifth reply, on any connection, and closes that connection: the request was
   * processed, but its reply is lost.
   */
  cutReplies(): void {
    this.mode = 'cutting';
  }

  /**
   * Turns every reply into noise of the same length; half of them keep their first bytes.
   *
   * @param random numbers from 0 to 1
   */
  garble(random: () => number): void {
    this.mode = 'garbling';
    this.random = random;
  }

  /** Serves again. Connections that fell silent are cut. */
  open(): void {
    this.mode = 'open';
    this.cut();
  }

  /** Delays every reply by this time. */
  delay(ms: number): void {
    this.delayMs = ms;
  }

  /** Forwards to another port of that host from now on, and cuts the existing connections. */
  lead(port: number): void {
    this.target = { ...this.target, port };
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
    if (this.mode === 'refusing' || this.mode === 'silent') return;
    const far = connect(this.target.port, this.target.host);
    this.keep(far);
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => {
      if (this.delayMs === 0) this.reply(near, bytes);
      else setTimeout(() => this.reply(near, bytes), this.delayMs);
    });
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }

  private reply(near: Socket, bytes: Buffer): void {
    this.replies += 1;
    if (this.mode === 'cutting' && this.replies % CUT_EVERY === 0) near.destroy();
    else near.write(this.mode === 'garbling' ? this.noise(bytes) : bytes);
  }

  private noise(bytes: Buffer): Buffer {
    const kept = this.random() < 0.5 ? HEADER_BYTES : 0;
    return bytes.map((byte, i) => (i < kept ? byte : Math.floor(this.random() * 256))) as Buffer;
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }
}
