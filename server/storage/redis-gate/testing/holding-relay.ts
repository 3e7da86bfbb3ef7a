import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A relay to a server on loopback that can deliver bytes after their sender has disconnected. */
export class HoldingRelay {
  private readonly sockets = new Set<Socket>();
  private isHolding = false;
  private kept: { bytes: Buffer[]; far: Socket } | null = null;

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (near) => this.join(near));
  }

  static async start(target: number): Promise<HoldingRelay> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new HoldingRelay(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** How many bytes are held back. */
  get held(): number {
    return this.kept?.bytes.reduce((sum, { length }) => sum + length, 0) ?? 0;
  }

  /** Holds back all bytes of the connection that next sends something, from then on. */
  hold(): void {
    this.isHolding = true;
  }

  /** Delivers the bytes held back; returns the first reply to them. */
  async release(): Promise<string> {
    if (!this.kept) throw new Error('Nothing was kept.');
    const { bytes, far } = this.kept;
    const reply = once(far, 'data');
    far.write(Buffer.concat(bytes));
    return String((await reply)[0]);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket): void {
    const far = connect(this.target, '127.0.0.1');
    for (const socket of [near, far]) {
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.sockets.delete(socket));
    }
    near.on('data', (bytes) => {
      if (this.isHolding) this.kept = { bytes: [], far };
      this.isHolding = false;
      if (this.kept?.far === far) this.kept.bytes.push(bytes);
      else far.write(bytes);
    });
    far.on('data', (bytes) => near.write(bytes));
    near.on('close', () => {
      if (this.kept?.far !== far) far.destroy();
    });
    far.on('close', () => near.destroy());
  }
}
