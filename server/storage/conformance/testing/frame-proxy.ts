import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Link {
  near: Socket;
  far: Socket;
  /** Whole packets that are held back, in their order. */
  held: Buffer[];
}

/**
 * A proxy for connections to a ZooKeeper that can hold back single request packets, with all that
 * follow them. Four-letter words pass.
 */
export class FrameProxy {
  private readonly links = new Set<Link>();
  private readonly holding = new Set<(packet: Buffer) => boolean>();

  private constructor(
    private readonly server: Server,
    private readonly target: { host: string; port: number },
  ) {
    server.on('connection', (near) => this.join(near));
  }

  static async start(target: { host: string; port: number }): Promise<FrameProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FrameProxy(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Holds back every packet that `isHeld` accepts, until the returned function is called. */
  hold(isHeld: (packet: Buffer) => boolean): () => void {
    this.holding.add(isHeld);
    return () => {
      this.holding.delete(isHeld);
      for (const link of this.links) {
        for (const packet of link.held.splice(0)) this.pass(link, packet);
      }
    };
  }

  /** How many packets are held back. */
  get heldPackets(): number {
    return [...this.links].reduce((sum, { held }) => sum + held.length, 0);
  }

  /** Cuts every connection; new ones are served. */
  cut(): void {
    for (const { near, far } of this.links) {
      near.destroy();
      far.destroy();
    }
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Discards every later answer on the existing connections. */
  loseReplies(): void {
    for (const { far } of this.links) far.removeAllListeners('data').resume();
  }

  private join(near: Socket): void {
    const far = connect(this.target.port, this.target.host);
    const link: Link = { near, far, held: [] };
    this.links.add(link);
    let rest = Buffer.alloc(0);
    near.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      if (/^[a-z]{4}/.test(rest.toString('latin1', 0, 4))) far.write(rest);
      while (rest.length >= 4 && rest.length >= rest.readInt32BE(0) + 4) {
        const end = rest.readInt32BE(0) + 4;
        this.pass(link, rest.subarray(0, end));
        rest = rest.subarray(end);
      }
    });
    far.on('data', (bytes) => near.write(bytes));
    const [one, other] = [near, far];
    for (const [socket, peer] of [
      [one, other],
      [other, one],
    ] as const) {
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        peer.destroy();
        this.links.delete(link);
      });
    }
  }

  private pass(link: Link, packet: Buffer): void {
    const isHeld = [...this.holding].some((held) => held(packet));
    if (isHeld || link.held.length > 0) link.held.push(packet);
    else link.far.write(packet);
  }
}
